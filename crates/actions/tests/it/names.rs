//! Names and their addresses, with a name server that does as it likes.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use insta::assert_snapshot;
use punctual_actions::{Actions, LookUp, Settings};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

use crate::job::{Job, pass, settings, tell};
use crate::receiver::{Receiver, Reply};

const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

/// Names that begin with `hang` get no answer until the test ends, others that of `known`.
struct NameServer {
    asked: Arc<AtomicUsize>,
    settings: Settings,
    _end: mpsc::Sender<()>,
}

fn name_server(known: impl Fn(&str) -> io::Result<Vec<IpAddr>> + Send + Sync + 'static) -> NameServer {
    let asked = Arc::new(AtomicUsize::new(0));
    let (end, wait) = mpsc::channel::<()>();
    let (count, wait) = (Arc::clone(&asked), Arc::new(Mutex::new(wait)));
    let look_up = LookUp::new(move |name| {
        count.fetch_add(1, Ordering::SeqCst);
        if name.starts_with("hang") {
            // Ends when the sender is gone.
            wait.lock().unwrap().recv().unwrap_err();
        }
        known(name)
    });
    NameServer { asked, settings: Settings { look_up, ..settings() }, _end: end }
}

#[tokio::test]
async fn names_that_do_not_exist() {
    let server = name_server(|name| match name {
        "empty.example" => Ok(Vec::new()),
        _ => Err(io::Error::other("failed to lookup address information: Name or service not known")),
    });
    let actions = Actions::new(server.settings).unwrap();
    assert_snapshot!(tell(&Job::get("http://nowhere.example/").run(&actions).await), @"
    failed, trouble Unreachable
    Http Action - Request to host 'nowhere.example' failed: NameResolutionFailure The remote name could not be resolved: 'nowhere.example' (Name or service not known).
    ");
    assert_snapshot!(tell(&Job::get("http://empty.example/").run(&actions).await), @"
    failed, trouble Unreachable
    Http Action - Request to host 'empty.example' failed: NameResolutionFailure The remote name could not be resolved: 'empty.example' (it has no addresses).
    ");
    Job::get("http://nowhere.example/").run(&actions).await;
    assert_eq!(server.asked.load(Ordering::SeqCst), 2, "that there is no such name is kept for a while");
}

#[tokio::test]
async fn all_addresses_of_a_name_are_checked() {
    let receiver = Receiver::always(Reply::ok("")).await;
    let server = name_server(|_| Ok(vec![HERE, "169.254.169.254".parse().unwrap()]));
    let actions = Actions::new(server.settings).unwrap();
    let job = Job::get(format!("http://rebound.example:{}/", receiver.address.port()));
    assert_snapshot!(tell(&job.run(&actions).await), @"
    failed, trouble None
    Http Action - Request to host 'rebound.example' failed: RequestProhibitedByPolicy The address 169.254.169.254 is refused by policy: link-local addresses are never called.
    ");
    assert_eq!(receiver.connections(), 0);
}

#[tokio::test]
async fn the_next_address_is_tried() {
    let receiver = Receiver::always(Reply::ok("second")).await;
    let server = name_server(|_| Ok(vec!["127.0.0.2".parse().unwrap(), HERE]));
    let actions = Actions::new(server.settings).unwrap();
    let job = Job::get(format!("http://two.example:{}/", receiver.address.port()));
    assert!(tell(&job.run(&actions).await).ends_with("second"));
}

/// As with IPv6 in a network that does not carry it.
#[tokio::test]
async fn an_address_that_does_not_answer_costs_a_moment() {
    let receiver = Receiver::always(Reply::ok("second")).await;
    // A listener whose queue is full lets further connections wait.
    let silent = TcpSocket::new_v4().unwrap();
    silent.bind(SocketAddr::new("127.0.0.2".parse().unwrap(), receiver.address.port())).unwrap();
    let silent = silent.listen(1).unwrap();
    let to = silent.local_addr().unwrap();
    let mut queue = Vec::new();
    while let Ok(Ok(stream)) = timeout(Duration::from_millis(100), TcpStream::connect(to)).await {
        queue.push(stream);
    }
    let server = name_server(|_| Ok(vec!["127.0.0.2".parse().unwrap(), HERE]));
    let actions = Actions::new(server.settings).unwrap();
    let job = Job::get(format!("http://two.example:{}/", receiver.address.port())).timeout(5);
    let text = tell(&job.run(&actions).await);
    assert!(text.ends_with("second"), "{text}");
}

#[tokio::test]
async fn many_who_need_one_name_ask_once() {
    let receiver = Receiver::always(Reply::with("200 OK", &[("Connection", "close")], b"")).await;
    let server = name_server(|_| Ok(vec![HERE]));
    let actions = Arc::new(Actions::new(server.settings).unwrap());
    let calls = (0..20).map(|_| {
        let job = Job::get(format!("http://one.example:{}/", receiver.address.port()));
        let actions = Arc::clone(&actions);
        tokio::spawn(async move { tell(&job.run(&actions).await) })
    });
    for call in calls.collect::<Vec<_>>() {
        assert!(call.await.unwrap().starts_with("succeeded"));
    }
    assert_eq!(server.asked.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn names_that_hang_leave_the_others_alone() {
    let receiver = Receiver::always(Reply::with("200 OK", &[("Connection", "close")], b"")).await;
    let server = name_server(|_| Ok(vec![HERE]));
    let actions = Arc::new(Actions::new(server.settings).unwrap());
    let port = receiver.address.port();
    let run = |name: String| {
        let (job, actions) = (Job::get(format!("http://{name}:{port}/")), Arc::clone(&actions));
        tokio::spawn(async move { tell(&job.run(&actions).await) })
    };
    assert!(run("healthy.example".to_owned()).await.unwrap().starts_with("succeeded"));
    let hanging: Vec<_> = (0..200).map(|number| run(format!("hang{number}.example"))).collect();
    assert!(run("healthy.example".to_owned()).await.unwrap().starts_with("succeeded"));
    while server.asked.load(Ordering::SeqCst) < 65 {
        tokio::task::yield_now().await;
    }
    tokio::time::pause();
    for _ in 0..12 {
        tokio::time::advance(Duration::from_secs(1)).await;
    }
    let mut told: Vec<String> = Vec::new();
    for call in hanging {
        let text = call.await.unwrap();
        let digits = |c: char| c.is_ascii_digit();
        told.push(text.split("example").map(|part| part.trim_end_matches('.').trim_end_matches(digits)).collect());
    }
    told.sort();
    told.dedup();
    assert_snapshot!(told.join("\n"), @"
    failed, trouble None
    Http Action - Request to host 'hang' failed: NameResolutionFailure The remote name could not be resolved: 'hang' (too many other names wait for an answer)
    failed, trouble Unreachable
    Http Action - Request to host 'hang' failed: NameResolutionFailure The remote name could not be resolved: 'hang' (no name server answered in 10 s)
    ");
    assert!(server.asked.load(Ordering::SeqCst) <= 1 + 64 + 2, "no more than 64 at once, and two of their zone");
}

#[tokio::test]
async fn an_old_answer_is_used_while_there_is_no_newer_one() {
    let receiver = Receiver::always(Reply::with("200 OK", &[("Connection", "close")], b"")).await;
    let asked = AtomicUsize::new(0);
    let server = name_server(move |_| match asked.fetch_add(1, Ordering::SeqCst) {
        0 => Ok(vec![HERE]),
        _ => Err(io::Error::other("the name server is away")),
    });
    let actions = Actions::new(server.settings).unwrap();
    let mut told = Vec::new();
    for (seconds, asked) in [(0, 1), (25, 1), (10, 2), (2, 2), (10, 3), (600, 4)] {
        pass(seconds).await;
        let outcome = Job::get(format!("http://moody.example:{}/", receiver.address.port())).run(&actions).await;
        told.push(tell(&outcome).split(',').next().unwrap().to_owned());
        assert_eq!(server.asked.load(Ordering::SeqCst), asked, "after {seconds} s more");
    }
    assert_eq!(told, ["succeeded", "succeeded", "succeeded", "succeeded", "succeeded", "failed"]);
}

#[tokio::test]
async fn who_hung_once_gets_fewer_places() {
    let server = name_server(|_| Ok(vec![HERE]));
    let actions = Arc::new(Actions::new(server.settings).unwrap());
    let run = |name: String| {
        let (job, actions) = (Job::get(format!("http://{name}:1/")).timeout(60), Arc::clone(&actions));
        tokio::spawn(async move { tell(&job.run(&actions).await) })
    };
    let hanging: Vec<_> = (0..60).map(|number| run(format!("hang{number}.example"))).collect();
    while server.asked.load(Ordering::SeqCst) < 60 {
        tokio::task::yield_now().await;
    }
    pass(11).await;
    for call in hanging {
        assert!(call.await.unwrap().contains("no name server answered"));
    }
    // Their threads still hang. There are four places left, and names that never hung have them for themselves.
    assert!(run("new.example".to_owned()).await.unwrap().contains("refused the connection"));
}

/// However many names of a zone are asked for, and however deep they lie in it.
#[tokio::test]
async fn a_zone_that_does_not_answer_takes_no_look_ups_from_others() {
    let server = name_server(|_| Ok(vec![HERE]));
    let actions = Arc::new(Actions::new(server.settings).unwrap());
    let run = |name: String| {
        let (job, actions) = (Job::get(format!("http://{name}:1/")).timeout(60), Arc::clone(&actions));
        tokio::spawn(async move { tell(&job.run(&actions).await) })
    };
    let names = |number| [format!("hang{number}.dead.example"), format!("hang.at{number}.dead.example")];
    let hanging: Vec<_> = (0..500).flat_map(names).map(run).collect();
    while server.asked.load(Ordering::SeqCst) < 64 {
        tokio::task::yield_now().await;
    }
    // After a moment those names count as slow, and their zone as one that does not answer.
    pass(1).await;
    for number in 0..200 {
        let text = run(format!("new{number}.example")).await.unwrap();
        assert!(text.contains("refused the connection"), "{number}: {text}");
    }
    assert!(server.asked.load(Ordering::SeqCst) < 64 + 200 + 10, "few more of the zone that does not answer");
    drop(hanging);
}
