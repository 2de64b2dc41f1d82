//! One message from the first byte of a connection to the server's yes.

use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::AsyncSmtpConnection;
use lettre::transport::smtp::commands::{Data, Mail, Rcpt};
use lettre::transport::smtp::extension::ClientId;
use punctual_model::action::EmailAddress;

use super::conversation::Conversation;
use super::refusal::{Problem, Refusal};
use super::server::{Login, MailServer, Security};
use super::starttls::start_tls;
use super::{Email, message};
use crate::connect::Endpoint;
use crate::failure::Failure;
use crate::http::Stage;
use crate::stream::Stream;

/// The server has taken the message.
pub(super) struct Accepted {
    /// What the server said.
    pub(super) answer: String,
    /// Readers that it does not know.
    pub(super) refused: Vec<Refusal>,
    pub(super) connection: AsyncSmtpConnection,
}

impl Email {
    /// Hands a message over. Readers that the server refuses do not keep the others from being told.
    pub(super) async fn deliver(
        &self,
        server: &MailServer,
        to: &[EmailAddress],
        bytes: &[u8],
        stage: &Stage,
    ) -> Result<Accepted, Problem> {
        let conversation = self.connect(server).await?;
        stage.waits();
        let hello = ClientId::Domain(server.from.address.domain());
        let host = &server.host;
        let greeted = AsyncSmtpConnection::connect_with_transport(Box::new(conversation), &hello).await;
        let mut connection = greeted.map_err(|error| Problem::of(&error, host, "the connection"))?;
        if let Some(login) = &server.login {
            log_in(&mut connection, host, login).await?;
        }
        let from = message::address(&server.from.address).map_err(unwritable)?;
        let sent = connection.command(Mail::new(Some(from), Vec::new())).await;
        sent.map_err(|error| Problem::of(&error, host, &format!("the sender {}", server.from.address)))?;
        let refused = name_readers(&mut connection, host, to).await?;
        let ready = connection.command(Data).await;
        ready.map_err(|error| Problem::of(&error, host, "the message"))?;
        let taken = connection.message(bytes).await.map_err(|error| Problem::of(&error, host, "the message"))?;
        let answer = format!("{} {}", taken.code(), taken.message().collect::<Vec<_>>().join(" "));
        Ok(Accepted { answer: answer.replace(|c: char| c.is_control(), " "), refused, connection })
    }

    async fn connect(&self, server: &MailServer) -> Result<Conversation, Problem> {
        let is_tls = server.security == Security::Tls;
        let to = Endpoint { host: &server.host, port: server.port, is_tls };
        let stream = self.connector.connect_bare(to).await?;
        match stream {
            Stream::Plain(stream) if server.security == Security::StartTls => {
                let hello = server.from.address.domain();
                let (stream, greeting) = start_tls(stream, &server.host, &hello, &self.connector.tls.bare).await?;
                Ok(Conversation::new(stream, greeting))
            }
            stream => Ok(Conversation::new(stream, Vec::new())),
        }
    }
}

async fn log_in(connection: &mut AsyncSmtpConnection, host: &str, login: &Login) -> Result<(), Problem> {
    if connection.server_info().get_auth_mechanism(DEFAULT_MECHANISMS).is_none() {
        let text = "offers no login by PLAIN or LOGIN: leave email.user empty, or check email.tls and the port.";
        return Err(Failure::Credentials(format!("'{host}' {text}")).into());
    }
    let credentials = Credentials::new(login.user.clone(), login.password.expose().to_owned());
    let answered = connection.auth(DEFAULT_MECHANISMS, &credentials).await;
    let what = format!("the login of {} (email.user, email.password)", login.user);
    answered.map(drop).map_err(|error| Problem::of(&error, host, &what).about_login())
}

/// Names the readers, and returns those whom the server refuses. Fails if it refuses all of them.
async fn name_readers(
    connection: &mut AsyncSmtpConnection,
    host: &str,
    to: &[EmailAddress],
) -> Result<Vec<Refusal>, Problem> {
    let mut refused = Vec::new();
    for reader in to {
        let address = message::address(reader).map_err(unwritable)?;
        if let Err(error) = connection.command(Rcpt::new(address, Vec::new())).await {
            match Problem::of(&error, host, &format!("the address {reader}")) {
                Problem::Refused(refusal) => refused.push(refusal),
                failed @ Problem::Failed(_) => return Err(failed),
            }
        }
    }
    if refused.len() < to.len() {
        return Ok(refused);
    }
    // One that may be taken later is worth another attempt for all.
    let later = refused.iter().position(|refusal| !refusal.is_final()).unwrap_or_default();
    Err(Problem::Refused(refused.swap_remove(later)))
}

fn unwritable(text: String) -> Problem {
    Failure::Address(text.into()).into()
}
