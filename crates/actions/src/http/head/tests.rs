use proptest::prelude::*;

use super::*;

fn take(text: &str) -> Result<Option<(u16, Framing, bool, usize)>, Failure> {
    let mut buffer = BytesMut::from(text);
    let head = take_head(&mut buffer, &mut 0, false)?;
    Ok(head.map(|head| (head.head.status, head.framing, head.keeps_alive, buffer.len())))
}

#[test]
fn where_bodies_end() {
    let cases = [
        ("Content-Length: 5", Framing::Length(5), true),
        ("Content-Length: 5, 5\r\ncontent-length: 5", Framing::Length(5), true),
        ("Transfer-Encoding: Chunked", Framing::chunked(), true),
        ("Transfer-Encoding: chunked\r\nContent-Length: 5", Framing::chunked(), false),
        ("Content-Length: 5\r\nConnection: close", Framing::Length(5), false),
        ("Server: x", Framing::UntilClose, false),
    ];
    for (headers, framing, keeps_alive) in cases {
        let text = format!("HTTP/1.1 200 OK\r\n{headers}\r\n\r\nbody");
        assert_eq!(take(&text), Ok(Some((200, framing, keeps_alive, 4))), "{headers}");
    }
    for headers in ["Content-Length: 5, 6", "Content-Length: +5", "Content-Length:", "Transfer-Encoding: chunked, gzip"]
    {
        let text = format!("HTTP/1.1 200 OK\r\n{headers}\r\n\r\nbody");
        assert!(take(&text).is_err(), "{headers}");
    }
}

proptest! {
    #[test]
    fn a_head_in_pieces_is_the_same_head(lengths in prop::collection::vec(1_usize..9, 60)) {
        let text = "HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\nX: y\r\n\r\nabc";
        let (mut buffer, mut searched, mut rest) = (BytesMut::new(), 0, text.as_bytes());
        let head = lengths.iter().find_map(|length| {
            let (piece, later) = rest.split_at(rest.len().min(*length));
            rest = later;
            buffer.extend_from_slice(piece);
            take_head(&mut buffer, &mut searched, false).unwrap()
        });
        prop_assert_eq!(head.unwrap().head.status, 404);
        buffer.extend_from_slice(rest);
        prop_assert_eq!(&buffer[..], b"abc");
    }

    #[test]
    fn nonsense_is_no_panic(text in "HTTP/1\\.[01] [0-9]{1,4}[ \\PC]{0,9}(\r?\n[a-zA-Z-]{0,9}:?[\\PC]{0,9}){0,5}\r?\n\r?\n.{0,9}") {
        let _ = take(&text);
    }
}
