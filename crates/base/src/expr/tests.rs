//! Expressions worked by hand, their faults by column, and what nobody would write.

use super::{Expr, Fault};

fn known(name: &str) -> Option<f64> {
    match name {
        "THREE" => Some(3.0),
        "ZERO" => Some(0.0),
        "before.loads" => Some(0.1 + 0.2),
        "HUGE" => Some(1e300),
        _ => None,
    }
}

fn value(text: &str) -> Option<f64> {
    Expr::parse(text).unwrap_or_else(|fault| panic!("{text}: {fault:?}")).value(&known)
}

fn whole(text: &str) -> Option<f64> {
    Expr::whole(text).unwrap_or_else(|fault| panic!("{text}: {fault:?}")).value(&known)
}

#[test]
fn values_by_hand() {
    for (text, expected) in [
        ("1 + 2 * THREE", 7.0),
        ("(1 + 2) * THREE", 9.0),
        ("10 - 4 - 3", 3.0),
        ("2 * THREE - 4 + THREE / 2 * 10", 17.0),
        ("7 / 2", 3.5),
        ("7 % 4 * 2", 6.0),
        ("-7 % 4", -3.0),
        ("5.5 % 2", 1.5),
        ("-THREE + +1", -2.0),
        ("2 - -3", 5.0),
        ("2*-THREE", -6.0),
        ("1e3 + 2.5e-1 + .5", 1000.75),
        ("1E+2", 100.0),
        ("THREE == 3 && ZERO = 0", 1.0),
        ("THREE = 3 and ZERO = 1 or true", 1.0),
        ("1 || 0 && 0", 1.0),
        ("(1 || 0) && 0", 0.0),
        ("1 + 1 < 2 * 2", 1.0),
        ("2<=2 && 2>=2 && !(2!=2)", 1.0),
        ("!ZERO + 1", 2.0),
        ("!!7", 1.0),
        ("true + true", 2.0),
        ("ZERO ? 1 : THREE ? 2 : 4", 2.0),
        ("1 ? 0 ? 5 : 6 : 7", 6.0),
        ("(THREE > 2 ? 10 : 20) + 1", 11.0),
        ("THREE > 2 ? 10 : 20 + 1", 10.0),
        ("min(THREE, 2) + max(THREE, min(9, 4))", 6.0),
        ("abs(-2) + floor(1.9) + ceil(1.1) + round(1.5)", 7.0),
        ("floor(-1.5)", -2.0),
        ("sqrt(16) + log2(8)", 7.0),
        ("ceil_div(10, 4) * 4", 12.0),
        ("ceil_div(12, 4)", 3.0),
        ("9007199254740991 - 9007199254740990", 1.0),
    ] {
        assert_eq!(value(text), Some(expected), "{text}");
    }
}

#[test]
fn what_is_nearly_equal_is_equal_unless_it_is_whole() {
    for (text, expected) in [
        ("before.loads = 0.3", 1.0),
        ("before.loads > 0.3", 0.0),
        ("before.loads <= 0.3", 1.0),
        ("before.loads != 0.3", 0.0),
        ("0.3 = 0.30000001", 0.0),
        ("10000000001 = 10000000000", 0.0),
        ("10000000001 > 10000000000", 1.0),
    ] {
        assert_eq!(value(text), Some(expected), "{text}");
    }
}

#[test]
fn a_side_decides_where_the_other_is_unknown() {
    for (text, expected) in [
        ("unknown", None),
        ("unknown + 1 > 0", None),
        ("!(unknown = 1)", None),
        ("ZERO && unknown", Some(0.0)),
        ("unknown and ZERO", Some(0.0)),
        ("THREE && unknown", None),
        ("unknown || THREE", Some(1.0)),
        ("ZERO or unknown", None),
        ("unknown && unknown", None),
        ("(unknown > 1 || true) && THREE > 2", Some(1.0)),
        ("unknown ? 1 : 1", None),
        ("true ? 1 : unknown", Some(1.0)),
        ("false ? 1 : unknown", None),
        ("unknown * 0", None),
        ("min(unknown, 0)", None),
        // What has no value is unknown.
        ("1 / ZERO", None),
        ("ZERO / ZERO = 0", None),
        ("1 % ZERO", None),
        ("HUGE * HUGE", None),
        ("sqrt(-1)", None),
        ("log2(0)", None),
        ("ceil_div(1, 0)", None),
        ("ZERO && 1 / ZERO", Some(0.0)),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
}

#[test]
fn whole_numbers_are_those_of_c() {
    for (text, expected) in [
        ("1 + 2 * THREE", 7.0),
        ("10 - 4 - 3", 3.0),
        ("7 / 2", 3.0),
        ("-7 / 2", -3.0),
        ("-7 % 2", -1.0),
        ("17 % 5 / 2", 1.0),
        ("9007199254740991 / 9007199254740990", 1.0),
        ("THREE == 3 && ZERO == 0 || 0", 1.0),
        ("0 && (0 || 1)", 0.0),
        // `==` binds less than `<`, and both chain.
        ("1 < 2 == 1", 1.0),
        ("1 == 0 < 1", 1.0),
        ("3 > 2 > 1", 0.0),
        ("!ZERO + 1", 2.0),
        ("-THREE <= -3", 1.0),
        ("2>=3", 0.0),
        ("+THREE", 3.0),
    ] {
        assert_eq!(whole(text), Some(expected), "{text}");
    }
    // Both sides are computed, and what is not exact has no value.
    for text in ["1 / ZERO", "5 % ZERO", "0 && 1 / ZERO", "1 || 1 / ZERO", "9007199254740991 + 1", "HUGE"] {
        assert_eq!(whole(text), None, "{text}");
    }
    let names: Vec<_> = Expr::whole("true || and").expect("names, as in C").names().map(|(name, _)| name.to_owned()).collect();
    assert_eq!(names, ["true", "and"]);
}

/// A fault as `COLUMN: sentence`.
fn told(fault: &Fault) -> String {
    format!("{}: {}", fault.column, fault.sentence)
}

#[test]
fn faults_are_told_with_their_column() {
    for (text, words) in [
        ("", "1: the expression ends where a value is needed"),
        ("  ", "3: the expression ends"),
        ("THREE ==", "9: the expression ends"),
        ("* 3", "1: '*' stands where a value is needed"),
        ("1 + )", "5: ')' stands where"),
        ("min()", "5: ')' stands where"),
        ("THREE 3", "7: '3' does not belong here; write an operator"),
        ("(1 2)", "4: '2' does not belong here"),
        ("1)", "2: ')' does not belong here"),
        ("1, 2", "2: ',' does not belong here"),
        ("2 * (1 + 3", "5: this '(' has no ')'"),
        ("min(1, 2", "4: this '(' has no ')'"),
        ("1 ? 2", "3: this '?' has no ':'"),
        ("'é' = 1", "1: ''' does not belong in an expression"),
        ("1 + é * 2", "5: 'é' does not belong in an expression"),
        ("\u{3000}1 & 2", "4: '&' does not belong in an expression"),
        ("0x10", "1: '0x10' is not a number"),
        ("1 + 1e999", "5: '1e999' is not a number"),
        ("1..2", "1: '1..2' is not a number"),
        ("1 < 2 < 3", "7: comparisons do not chain; write a < b && b < c"),
        ("1 < 2 == 3", "7: comparisons do not chain"),
        ("1 + sqr(2)", "5: there is no function 'sqr'; did you mean 'sqrt'?"),
        ("defined(A)", "1: there is no function 'defined'; valid names: min, max,"),
        ("1 + min(1)", "5: wrong number of values for 'min': 1 instead of 2"),
        ("abs(1, 2)", "1: wrong number of values for 'abs': 2 instead of 1"),
    ] {
        let fault = Expr::parse(text).expect_err(text);
        assert!(told(&fault).starts_with(words), "{text}: {fault:?}");
    }
    for (text, words) in [
        ("THREE = 3", "7: '=' is not allowed in a condition of a kernel file"),
        ("THREE & 1", "7: '&' is not allowed"),
        ("0x10", "1: '0x10' is not allowed"),
        ("1.0", "1: '1.0' is not allowed"),
        ("9007199254740992", "1: '9007199254740992' is not allowed"),
        ("a.b", "1: 'a.b' is not allowed"),
        ("1 ? 2 : 3", "3: '?' is not allowed"),
        ("1 + min(1, 2)", "10: ',' is not allowed"),
        ("1 || defined(A)", "6: 'defined' is not allowed"),
        ("(THREE", "1: this '(' has no ')'"),
    ] {
        let fault = Expr::whole(text).expect_err(text);
        assert!(told(&fault).starts_with(words), "{text}: {fault:?}");
    }
}

#[test]
fn conditions_are_told_from_numbers() {
    for text in ["a < 1", "a && b", "!a", "true", "(a = 1)", "a ? b > 1 : false", "-1 < 2"] {
        assert!(Expr::condition(text).is_ok(), "{text}");
        let fault = Expr::number(text).expect_err(text);
        assert_eq!(told(&fault), format!("1: '{text}' is a condition, not a number; remove the comparison"));
    }
    for text in ["a", "1", "-(a < 1)", "(a < 1) + 1", "min(a, b)", "a ? b > 1 : 2", "a ? 2 : b > 1", "a ? 1 : b > 1 ? true : false"] {
        assert!(Expr::number(text).is_ok(), "{text}");
        let fault = Expr::condition(text).expect_err(text);
        assert_eq!(told(&fault), format!("1: '{text}' is a number, not a condition; compare it, for example with >= 1"));
    }
}

#[test]
fn unknown_names_are_told_with_the_one_that_is_meant() {
    let expr = Expr::parse("loads + (stores * loads) > mix_1").expect("an expression");
    assert_eq!(expr.names().collect::<Vec<_>>(), [("loads", 1), ("stores", 10), ("loads", 19), ("mix_1", 28)]);
    assert_eq!(expr.to_string(), "loads + (stores * loads) > mix_1");
    let check = |known: &[&str]| expr.check(known.iter().copied()).err().map(|fault| told(&fault));
    assert_eq!(check(&["mix_1", "stores", "loads"]), None);
    assert_eq!(check(&["loads", "store", "mix_1"]).as_deref(), Some("10: there is no name 'stores' here; did you mean 'store'?"));
    assert_eq!(check(&["loads", "stores"]).as_deref(), Some("28: there is no name 'mix_1' here; valid names: loads, stores"));
}

#[test]
fn a_comparison_has_its_two_sides() {
    let sides = |text: &str| {
        let expr = Expr::parse(text).expect(text);
        expr.comparison(&known).map(|(name, operator, bound)| (name.to_owned(), operator, bound))
    };
    assert_eq!(sides("THREE >= 2 * THREE + 1"), Some(("THREE".to_owned(), ">=", Some(7.0))));
    assert_eq!(sides("ZERO = unknown"), Some(("ZERO".to_owned(), "==", None)));
    for other in ["THREE + 1 > 2", "1 < THREE", "THREE", "THREE > 1 && true", "!(THREE > 1)", "max(THREE, 1)"] {
        assert_eq!(sides(other), None, "{other}");
    }
}

#[test]
fn what_is_deep_or_long_does_not_overflow_the_stack() {
    const COUNT: usize = 100_000;
    for deep in ["(", "min(", "1 ? ", "1 + (", "a(", "-(", "!-+(", "1 < ("] {
        for text in [deep.repeat(COUNT), format!("{}1", deep.repeat(COUNT))] {
            assert!(Expr::parse(&text).is_err(), "{deep}");
            assert!(Expr::whole(&text).is_err(), "{deep}");
        }
    }
    let nested = |count: usize| Expr::parse(&format!("{}1{}", "(".repeat(count), ")".repeat(count)));
    assert!(nested(99).is_ok());
    assert_eq!(nested(100).expect_err("too deep").column, 101);
    // What is only long has a value, and goes without recursion.
    for (part, last, expected) in [("1+", "1", 100_001.0), ("-", "1", 1.0), ("0?1:", "2", 2.0), ("1&&", "1", 1.0)] {
        let expr = Expr::parse(&format!("{}{last}", part.repeat(COUNT))).expect(part);
        assert_eq!(expr.clone().value(&known), Some(expected), "{part}");
    }
}

#[test]
fn nonsense_is_refused_or_has_a_value_but_never_panics() {
    const PARTS: [&str; 40] = [
        "1", "0", ".5", "1e", "1e-", "e", "a", "b.c", "true", "and", "or", "min", "abs", "ceil_div", "(", ")", "(", ")", "<", "<=", ">",
        "=", "==", "!=", "!", "&&", "||", "&", "+", "-", "*", "/", "%", "?", ":", ",", " ", "\n", "界", "\u{301}",
    ];
    let mut random = fastrand::Rng::with_seed(7);
    let mut values = 0;
    for round in 0..20_000 {
        let length = random.usize(..12);
        let text: String = if round % 2 == 0 {
            (0..length).map(|_| *random.choice(PARTS.iter()).expect("a part")).collect()
        } else {
            String::from_utf8_lossy(&(0..length).map(|_| random.u8(..)).collect::<Vec<_>>()).into_owned()
        };
        for read in [Expr::parse, Expr::whole, Expr::condition, Expr::number] {
            match read(&text) {
                Ok(expr) => {
                    values += usize::from(expr.value(&|_| Some(2.0)).is_some());
                    let _ = (expr.check(["b.c"].into_iter()), expr.comparison(&known));
                    assert_eq!(expr.to_string(), text);
                }
                Err(fault) => assert!((1..=text.chars().count() + 1).contains(&fault.column), "{text:?}: {fault:?}"),
            }
        }
    }
    assert!(values > 500, "only {values} had a value");
}
