use super::*;

fn told(egress: &Egress, address: &str) -> String {
    match egress.check(address.parse().unwrap()) {
        Ok(()) => "may be called".to_owned(),
        Err(rule) => rule.to_string(),
    }
}

#[test]
fn what_is_always_refused() {
    let everything = Egress { is_loopback_allowed: true, ..Egress::default() };
    let addresses = [
        "169.254.169.254:80",
        "169.254.0.1:80",
        "[fe80::1]:80",
        "[febf::1]:80",
        "[fd00:ec2::254]:80",
        "168.63.129.16:80",
        "100.100.100.200:80",
        "192.0.0.192:80",
        "0.0.0.0:80",
        "0.1.2.3:80",
        "[::]:80",
        "224.0.0.1:80",
        "239.255.255.250:80",
        "[ff02::1]:80",
        "255.255.255.255:80",
        "[::ffff:169.254.169.254]:80",
        "[::169.254.169.254]:80",
        "[64:ff9b::169.254.169.254]:80",
        "[2002:a9fe:a9fe::1]:80",
        "[2001:0:a9fe:a9fe::1]:80",
        "[2001:0:c000:201:0:0:5601:5601]:80",
        "[fd20:ce::254]:80",
        "[::ffff:0:169.254.169.254]:80",
        "[64:ff9b:1::169.254.169.254]:80",
        "[64:ff9b:1:a9fe:a9:fe00::]:80",
        "[64:ff9b:1:a9:fe:a9fe::]:80",
        "[64:ff9b:1:0:a9:fea9:fe00:0]:80",
    ];
    let text: Vec<String> = addresses.iter().map(|a| format!("{a}: {}", told(&everything, a))).collect();
    insta::assert_snapshot!(text.join("\n"), @"
    169.254.169.254:80: link-local addresses are never called
    169.254.0.1:80: link-local addresses are never called
    [fe80::1]:80: link-local addresses are never called
    [febf::1]:80: link-local addresses are never called
    [fd00:ec2::254]:80: metadata services of clouds are never called
    168.63.129.16:80: metadata services of clouds are never called
    100.100.100.200:80: metadata services of clouds are never called
    192.0.0.192:80: metadata services of clouds are never called
    0.0.0.0:80: it is no address of a machine
    0.1.2.3:80: it is no address of a machine
    [::]:80: it is no address of a machine
    224.0.0.1:80: multicast addresses are never called
    239.255.255.250:80: multicast addresses are never called
    [ff02::1]:80: multicast addresses are never called
    255.255.255.255:80: broadcast addresses are never called
    [::ffff:169.254.169.254]:80: link-local addresses are never called
    [::169.254.169.254]:80: link-local addresses are never called
    [64:ff9b::169.254.169.254]:80: link-local addresses are never called
    [2002:a9fe:a9fe::1]:80: link-local addresses are never called
    [2001:0:a9fe:a9fe::1]:80: link-local addresses are never called
    [2001:0:c000:201:0:0:5601:5601]:80: link-local addresses are never called
    [fd20:ce::254]:80: metadata services of clouds are never called
    [::ffff:0:169.254.169.254]:80: link-local addresses are never called
    [64:ff9b:1::169.254.169.254]:80: link-local addresses are never called
    [64:ff9b:1:a9fe:a9:fe00::]:80: link-local addresses are never called
    [64:ff9b:1:a9:fe:a9fe::]:80: link-local addresses are never called
    [64:ff9b:1:0:a9:fea9:fe00:0]:80: link-local addresses are never called
    ");
}

#[test]
fn what_may_be_called() {
    let addresses = [
        "192.0.2.1:80",
        "10.0.0.1:80",
        "[2001:db8::1]:80",
        "[fd00::1]:80",
        "100.64.0.1:80",
        "240.0.0.1:80",
        "[64:ff9b:1::192.0.2.1]:80",
    ];
    for address in addresses {
        assert_eq!(told(&Egress::default(), address), "may be called", "{address}");
    }
}

#[test]
fn loopback_by_setting_only() {
    let allowed = Egress { is_loopback_allowed: true, ..Egress::default() };
    for address in ["127.0.0.1:80", "127.1.2.3:80", "[::1]:80", "[::ffff:127.0.0.1]:80", "[64:ff9b::127.0.0.1]:80"] {
        assert_eq!(told(&Egress::default(), address), "loopback addresses are not allowed on this server");
        assert_eq!(told(&allowed, address), "may be called");
    }
}

#[test]
fn our_own_listeners() {
    let at = |text: &str| Egress {
        own_listeners: vec![text.parse().unwrap()],
        is_loopback_allowed: true,
        ..Egress::default()
    };
    let own = "this server listens there itself";
    assert_eq!(told(&at("192.0.2.1:7878"), "192.0.2.1:7878"), own);
    assert_eq!(told(&at("192.0.2.1:7878"), "[::ffff:192.0.2.1]:7878"), own);
    assert_eq!(told(&at("192.0.2.1:7878"), "192.0.2.1:7879"), "may be called");
    assert_eq!(told(&at("0.0.0.0:7878"), "127.0.0.1:7878"), own);
    assert_eq!(told(&at("[::]:7878"), "127.0.0.5:7878"), own);
    assert_eq!(told(&at("0.0.0.0:7878"), "192.0.2.1:7878"), "may be called");
}

#[test]
fn addresses_of_this_machine() {
    assert!(is_this_machine("127.0.0.1".parse().unwrap()));
    assert!(!is_this_machine("192.0.2.1".parse().unwrap()));
}

#[test]
fn ranges_of_the_operator() {
    let range = |text: &str| Network::parse(text).unwrap();
    let egress = Egress {
        denied: vec![range("10.0.0.0/8")],
        allowed: vec![range("10.0.0.0/7"), range("fd00::/8")],
        ..Egress::default()
    };
    assert_eq!(told(&egress, "10.1.2.3:80"), "it is in a range that this server denies");
    assert_eq!(told(&egress, "[2002:a01:203::]:80"), "it is in a range that this server denies");
    assert_eq!(told(&egress, "11.1.2.3:80"), "may be called");
    assert_eq!(told(&egress, "[::ffff:11.1.2.3]:80"), "may be called");
    assert_eq!(told(&egress, "[fd12::1]:80"), "may be called");
    assert_eq!(told(&egress, "192.0.2.1:80"), "it is in none of the ranges that this server allows");
}

#[test]
fn ranges_as_they_are_written() {
    for text in ["0.0.0.0/0", "10.0.0.0/8", "192.0.2.7/32", "::/0", "fd00::/8"] {
        assert_eq!(Network::parse(text).unwrap().to_string(), text);
    }
    assert_eq!(Network::parse("192.0.2.7").unwrap().to_string(), "192.0.2.7/32");
    for text in ["", "10", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.1.0.0/8", "::1/64", "host/8"] {
        assert!(Network::parse(text).is_err(), "{text}");
    }
    assert!(Network::parse("0.0.0.0/0").unwrap().contains("192.0.2.1".parse().unwrap()));
    assert!(!Network::parse("0.0.0.0/0").unwrap().contains("::1".parse().unwrap()));
}
