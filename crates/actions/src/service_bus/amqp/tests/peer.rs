//! One connection of the double.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use aws_lc_rs::hmac;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::percent_decode_str;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, WriteHalf};
use tokio::sync::{broadcast, mpsc};

use super::codec::V;
use super::double::{Command, Event, Fate, Reason, Script};

/// One connection.
struct Peer<S> {
    writer: WriteHalf<S>,
    script: Arc<Mutex<Script>>,
    told: mpsc::UnboundedSender<Event>,
    links: HashMap<(u16, u32), Link>,
    /// The next delivery id of the client, by channel.
    deliveries: HashMap<u16, u32>,
    /// Audiences that a good token was put for.
    audiences: Vec<String>,
    held: Vec<(u16, u32)>,
}

struct Link {
    address: String,
    /// Whether the client sends on it.
    is_ours_to_read: bool,
    credit: u32,
    partial: Vec<u8>,
    delivery_id: u32,
    /// Whether we have detached it; then the client answers, and what it sent before is for nobody.
    is_detached: bool,
}

pub(super) async fn serve<S: AsyncRead + AsyncWrite + Send + 'static>(
    stream: S,
    script: Arc<Mutex<Script>>,
    told: mpsc::UnboundedSender<Event>,
    mut commands: broadcast::Receiver<Command>,
) {
    let (mut reader, writer) = tokio::io::split(stream);
    let mut peer = Peer {
        writer,
        script,
        told,
        links: HashMap::new(),
        deliveries: HashMap::new(),
        audiences: Vec::new(),
        held: Vec::new(),
    };
    if peer.sasl(&mut reader).await.is_none() {
        return;
    }
    let (frames, mut incoming) = mpsc::unbounded_channel();
    let reading = tokio::spawn(async move {
        while let Some(frame) = read_frame(&mut reader).await {
            frames.send(frame).ok();
        }
    });
    loop {
        let goes_on = tokio::select! {
            frame = incoming.recv() => match frame {
                Some((channel, performative, payload)) => peer.on_frame(channel, &performative, &payload).await,
                None => None,
            },
            Ok(command) = commands.recv() => peer.on_command(command).await,
        };
        if goes_on.is_none() {
            reading.abort();
            peer.told.send(Event::Gone).ok();
            return;
        }
    }
}

/// Reads a frame: its channel, its performative and what follows that. None at the end of the stream.
async fn read_frame(reader: &mut (impl AsyncRead + Unpin)) -> Option<(u16, V, Vec<u8>)> {
    let mut head = [0; 8];
    reader.read_exact(&mut head).await.ok()?;
    let size = u32::from_be_bytes(head[..4].try_into().unwrap()) as usize;
    assert_eq!(head[4], 2, "an extended header");
    let mut body = vec![0; size - 8];
    reader.read_exact(&mut body).await.ok()?;
    let mut rest = &body[..];
    let performative = if rest.is_empty() { V::Null } else { V::decode(&mut rest) };
    Some((u16::from_be_bytes([head[6], head[7]]), performative, rest.to_vec()))
}

impl<S: AsyncRead + AsyncWrite + Send + 'static> Peer<S> {
    async fn write(&mut self, kind: u8, channel: u16, performative: &V, payload: &[u8]) -> Option<()> {
        let mut body = vec![2, kind];
        body.extend(channel.to_be_bytes());
        performative.encode(&mut body);
        body.extend(payload);
        let mut frame = u32::try_from(body.len() + 4).unwrap().to_be_bytes().to_vec();
        frame.extend(body);
        self.writer.write_all(&frame).await.ok()
    }

    async fn sasl(&mut self, reader: &mut (impl AsyncRead + Unpin)) -> Option<()> {
        let mut header = [0; 8];
        reader.read_exact(&mut header).await.ok()?;
        assert_eq!(&header, b"AMQP\x03\x01\x00\x00");
        self.writer.write_all(&header).await.ok()?;
        let user = self.script.lock().unwrap().user.clone();
        let mechanism = if user.is_some() { "PLAIN" } else { "ANONYMOUS" };
        self.write(1, 0, &V::of(0x40, vec![V::symbol(mechanism)]), &[]).await?;
        let (_, init, _) = read_frame(reader).await?;
        assert_eq!(init.field(0), &V::symbol(mechanism));
        let is_known = user
            .is_none_or(|(name, password)| *init.field(1) == V::Binary(format!("\0{name}\0{password}").into_bytes()));
        self.write(1, 0, &V::of(0x44, vec![V::Ubyte(u8::from(!is_known))]), &[]).await?;
        reader.read_exact(&mut header).await.ok()?;
        assert_eq!(&header, b"AMQP\x00\x01\x00\x00");
        self.writer.write_all(&header).await.ok()
    }

    async fn on_frame(&mut self, channel: u16, performative: &V, payload: &[u8]) -> Option<()> {
        let V::Described(code, _) = performative else { return Some(()) };
        match code {
            0x10 => {
                let frame_bytes_max = self.script.lock().unwrap().frame_bytes_max;
                let open = vec![V::text("double"), V::Null, V::Uint(frame_bytes_max), V::Ushort(2047)];
                let container = performative.field(0).as_text().to_owned();
                self.told.send(Event::Opened { container }).ok();
                self.write(0, 0, &V::of(0x10, open), &[]).await
            }
            0x11 => {
                self.deliveries.insert(channel, 0);
                let begin = vec![V::Ushort(channel), V::Uint(0), V::Uint(5000), V::Uint(5000)];
                self.write(0, channel, &V::of(0x11, begin), &[]).await
            }
            0x12 => self.on_attach(channel, performative).await,
            0x14 => self.on_transfer(channel, performative, payload).await,
            0x16 => {
                let handle = performative.field(0).as_u32();
                let Some(link) = self.links.remove(&(channel, handle)) else { return Some(()) };
                self.told.send(Event::Detached(link.address)).ok();
                if link.is_detached { Some(()) } else { self.answer_detach(channel, handle).await }
            }
            0x17 => self.write(0, channel, &V::of(0x17, Vec::new()), &[]).await,
            0x18 if self.script.lock().unwrap().is_deaf => Some(()),
            0x18 => {
                self.write(0, 0, &V::of(0x18, Vec::new()), &[]).await;
                None
            }
            0x13 | 0x15 => Some(()),
            other => panic!("performative {other:#x}"),
        }
    }

    async fn on_attach(&mut self, channel: u16, attach: &V) -> Option<()> {
        let handle = attach.field(1).as_u32();
        assert!(!self.links.contains_key(&(channel, handle)), "a handle twice");
        let is_ours_to_read = *attach.field(2) == V::Bool(false);
        let node = attach.field(if is_ours_to_read { 6 } else { 5 });
        let address = node.field(0).as_text().to_owned();
        let (needs_token, credit, is_unknown) = {
            let script = self.script.lock().unwrap();
            (script.key.is_some(), script.credit, script.unknown.contains(&address))
        };
        let is_allowed = !needs_token
            || address == "$cbs"
            || self.audiences.iter().any(|audience| audience.ends_with(&format!("/{address}")));
        let refusal = if is_unknown {
            Some(("amqp:not-found".to_owned(), "The messaging entity could not be found.".to_owned()))
        } else if is_allowed {
            None
        } else {
            Some(("amqp:unauthorized-access".to_owned(), "'Send' claim(s) are required.".to_owned()))
        };
        let target = if refusal.is_some() { V::Null } else { attach.field(6).clone() };
        let first = if is_ours_to_read { V::Null } else { V::Uint(0) };
        let answer = vec![
            attach.field(0).clone(),
            V::Uint(handle),
            V::Bool(is_ours_to_read),
            V::Null,
            V::Null,
            attach.field(5).clone(),
            target,
            V::Null,
            V::Bool(false),
            first,
            V::Ulong(262_144),
        ];
        self.write(0, channel, &V::of(0x12, answer), &[]).await?;
        let link = Link {
            address: address.clone(),
            is_ours_to_read,
            credit,
            partial: Vec::new(),
            delivery_id: 0,
            is_detached: false,
        };
        self.links.insert((channel, handle), link);
        if refusal.is_some() {
            return self.detach(channel, handle, refusal).await;
        }
        self.told.send(Event::Attached(address)).ok();
        if is_ours_to_read && credit > 0 { self.grant(channel, handle, credit).await } else { Some(()) }
    }

    async fn grant(&mut self, channel: u16, handle: u32, credit: u32) -> Option<()> {
        let next = self.deliveries[&channel];
        let link = self.links.get_mut(&(channel, handle))?;
        link.credit = credit;
        let count = link.delivery_id;
        let flow = [next, 5000, 0, 5000, handle, count, credit].into_iter().map(V::Uint).collect();
        self.write(0, channel, &V::of(0x13, flow), &[]).await
    }

    async fn on_transfer(&mut self, channel: u16, transfer: &V, payload: &[u8]) -> Option<()> {
        let handle = transfer.field(0).as_u32();
        let link = self.links.get_mut(&(channel, handle)).expect("no such link");
        if link.is_detached {
            return Some(());
        }
        assert!(link.is_ours_to_read, "a transfer on a link that we send on");
        link.partial.extend(payload);
        let id = self.deliveries[&channel];
        if *transfer.field(1) != V::Null {
            assert_eq!(transfer.field(1).as_u32(), id, "delivery ids follow one another");
            assert_ne!(*transfer.field(4), V::Bool(true), "a message nobody would confirm");
            link.credit = link.credit.checked_sub(1).expect("no credit was left");
            link.delivery_id += 1;
        }
        if *transfer.field(5) == V::Bool(true) {
            return Some(());
        }
        self.deliveries.insert(channel, id + 1);
        let bytes = std::mem::take(&mut link.partial);
        let address = link.address.clone();
        let mut rest = &bytes[..];
        let mut sections = Vec::new();
        while !rest.is_empty() {
            sections.push(V::decode(&mut rest));
        }
        if address == "$cbs" {
            self.settle(channel, id, &V::of(0x24, Vec::new())).await?;
            return self.on_token(channel, &sections).await;
        }
        self.told.send(Event::Message { address, sections }).ok();
        let fate = self.script.lock().unwrap().fate.clone();
        match fate {
            Fate::Accepted => self.settle(channel, id, &V::of(0x24, Vec::new())).await,
            Fate::Released => self.settle(channel, id, &V::of(0x26, Vec::new())).await,
            Fate::Modified => self.settle(channel, id, &V::of(0x27, vec![V::Bool(true)])).await,
            Fate::Rejected(reason) => self.settle(channel, id, &V::of(0x25, vec![error(reason)])).await,
            Fate::Held => {
                self.held.push((channel, id));
                Some(())
            }
            Fate::Detached(reason) => self.detach(channel, handle, reason).await,
            Fate::Closed(reason) => self.write(0, 0, &V::of(0x18, vec![error(reason)]), &[]).await,
            Fate::Cut => None,
        }
    }

    async fn settle(&mut self, channel: u16, id: u32, state: &V) -> Option<()> {
        let disposition = vec![V::Bool(true), V::Uint(id), V::Uint(id), V::Bool(true), state.clone()];
        self.write(0, channel, &V::of(0x15, disposition), &[]).await
    }

    async fn detach(&mut self, channel: u16, handle: u32, reason: Option<Reason>) -> Option<()> {
        self.links.get_mut(&(channel, handle))?.is_detached = true;
        self.write(0, channel, &V::of(0x16, vec![V::Uint(handle), V::Bool(true), error(reason)]), &[]).await
    }

    async fn answer_detach(&mut self, channel: u16, handle: u32) -> Option<()> {
        self.write(0, channel, &V::of(0x16, vec![V::Uint(handle), V::Bool(true)]), &[]).await
    }

    /// Checks a token and answers on the link that the client reads.
    async fn on_token(&mut self, channel: u16, sections: &[V]) -> Option<()> {
        let section = |wanted: u64| {
            let found = sections.iter().find_map(|section| match section {
                V::Described(code, inner) if *code == wanted => Some(&**inner),
                _ => None,
            });
            found.unwrap_or_else(|| panic!("no section {wanted:#x}"))
        };
        let properties = section(0x74);
        assert_eq!(properties.get("operation"), Some(&V::text("put-token")));
        assert_eq!(properties.get("type"), Some(&V::text("servicebus.windows.net:sastoken")));
        let audience = properties.get("name").unwrap().as_text().to_owned();
        let key = self.script.lock().unwrap().key.clone();
        let is_good = key.is_some_and(|key| is_signed(section(0x77).as_text(), &audience, &key));
        self.told.send(Event::Token { audience: audience.clone(), is_good }).ok();
        let (status, description) = if is_good {
            self.audiences.push(audience);
            (202, "Accepted")
        } else {
            (401, "InvalidSignature: The token has an invalid signature.")
        };
        let (_, handle) = *self.links.iter().find(|((at, _), link)| *at == channel && !link.is_ours_to_read)?.0;
        let link = self.links.get_mut(&(channel, handle))?;
        let id = link.delivery_id;
        link.delivery_id += 1;
        let mut reply = Vec::new();
        let mut answer = vec![V::Null; 6];
        answer[5] = section(0x73).field(0).clone();
        V::of(0x73, answer).encode(&mut reply);
        let status = (V::text("status-code"), V::Int(status));
        let description = (V::text("status-description"), V::text(description));
        V::Described(0x74, Box::new(V::Map(vec![status, description]))).encode(&mut reply);
        V::Described(0x77, Box::new(V::Null)).encode(&mut reply);
        let tag = V::Binary(id.to_be_bytes().to_vec());
        let transfer = vec![V::Uint(handle), V::Uint(id), tag, V::Uint(0), V::Bool(true), V::Bool(false)];
        self.write(0, channel, &V::of(0x14, transfer), &reply).await
    }

    async fn on_command(&mut self, command: Command) -> Option<()> {
        match command {
            Command::Settle => {
                for (channel, id) in std::mem::take(&mut self.held) {
                    self.settle(channel, id, &V::of(0x24, Vec::new())).await?;
                }
                Some(())
            }
            Command::Credit(credit) => {
                let ours = self.links.iter().filter(|(_, link)| link.is_ours_to_read && link.address != "$cbs");
                let ours: Vec<_> = ours.map(|(at, _)| *at).collect();
                for (channel, handle) in ours {
                    self.grant(channel, handle, credit).await?;
                }
                Some(())
            }
            Command::Detach(reason) => {
                let all: Vec<_> = self.links.keys().copied().collect();
                for (channel, handle) in all {
                    self.detach(channel, handle, reason.clone()).await?;
                }
                Some(())
            }
            Command::Close(reason) => self.write(0, 0, &V::of(0x18, vec![error(reason)]), &[]).await,
            Command::Cut => None,
        }
    }
}

fn error(reason: Option<Reason>) -> V {
    reason.map_or(V::Null, |(condition, description)| V::of(0x1d, vec![V::Symbol(condition), V::Text(description)]))
}

/// Checks a token as the Service Bus does: for what, by whom, how long, signed with which key.
fn is_signed(token: &str, audience: &str, (name, key): &(String, String)) -> bool {
    let fields: HashMap<&str, &str> = token
        .strip_prefix("SharedAccessSignature ")
        .unwrap()
        .split('&')
        .map(|pair| pair.split_once('=').unwrap())
        .collect();
    let decoded = |field: &str| percent_decode_str(fields[field]).decode_utf8().unwrap().into_owned();
    let signed = format!("{}\n{}", fields["sr"], fields["se"]);
    let key = hmac::Key::new(hmac::HMAC_SHA256, key.as_bytes());
    decoded("sr") == audience.to_lowercase()
        && fields["skn"] == name
        && hmac::verify(&key, signed.as_bytes(), &STANDARD.decode(decoded("sig")).unwrap()).is_ok()
}
