//! Words that texts avoid, each with the word that stands for the thing instead.

use super::{Language, is_han};

/// Whole words or phrases in lower case, and what to write.
const ENGLISH: &[(&str, &str)] = &[
    ("told", "shown, reported"),
    ("tell", "show, report"),
    ("tells", "shows, reports"),
    ("readings", "measurements"),
    ("a reading", "a measurement"),
    ("one reading", "one measurement"),
    ("each reading", "each measurement"),
    ("this reading", "this measurement"),
    ("short reading", "short measurement"),
    ("processor", "CPU"),
    ("processors", "CPUs"),
    ("a turn", "an iteration"),
    ("turns", "iterations, cycles"),
    ("switches", "stages"),
    ("nobody", "no work-item; or the passive"),
    ("somebody", "someone"),
    ("refuse", "unavailable; or what failed"),
    ("refused", "unavailable; or what failed"),
    ("refuses", "unavailable; or what failed"),
    ("secret", "implementation-defined"),
    ("mend", "fix"),
    ("anew", "again"),
    ("all the same", "still; or leave it out"),
    ("as it is", "unchanged, correct"),
    ("wanted", "requested"),
    ("undecided", "inconclusive"),
    ("not seen", "no difference observed"),
    ("was seen", "was observed"),
    ("seen here", "result here"),
    ("said", "reported"),
    ("defect", "bug"),
    ("go on", "continue"),
    ("for ever", "permanently"),
    ("forget", "delete"),
    ("access picture", "access diagram"),
    ("local work size", "local size"),
    ("% slower", "a ratio with its interval: 0.18×"),
    ("% faster", "a ratio with its interval: 1.20×"),
    ("equal and equal", "one ratio"),
];

/// Parts of sentences, as Chinese has no gaps between words.
const CHINESE: &[(&str, &str)] = &[
    ("读数", "测量结果"),
    ("说法", "结论"),
    ("SIMD 通道", "lane"),
    ("通道 {lane", "lane {lane"),
    ("合并加载", "拼接加载"),
    ("合并访存映射", "合并访存"),
    ("局部工作大小", "工作组大小"),
    ("局部大小", "工作组大小"),
    ("拷贝", "复制"),
    ("处理器", "CPU"),
    ("散列", "哈希"),
    ("图片", "图像"),
    ("搬运", "传输"),
    ("得到证实", "已证实"),
    ("没有看到", "未观察到"),
    ("正是如此", "正确"),
    ("遗忘", "删除"),
    ("忘掉", "删除"),
    ("秘密", "由实现决定"),
    ("没有谁", "未使用、未读取"),
    ("不肯", "无法读取"),
    ("放不", "超出"),
    ("光环", "halo"),
    ("次正规", "非规格化"),
    ("交替运行", "交错运行"),
    ("% 更快", "1.20×"),
    ("% 更慢", "0.80×"),
];

/// The first avoided word of `text`, and what to write.
#[must_use]
pub fn avoided(language: Language, text: &str) -> Option<(&'static str, &'static str)> {
    match language {
        Language::English => ENGLISH.iter().find(|(words, _)| has_words(&without_places(text).to_lowercase(), words)),
        Language::Chinese => CHINESE.iter().find(|(words, _)| text.contains(words)),
    }
    .copied()
}

/// `text` without the names between braces.
fn without_places(text: &str) -> String {
    text.split('{').enumerate().map(|(at, part)| if at == 0 { part } else { part.split_once('}').map_or(part, |(_, rest)| rest) }).collect()
}

/// Whether `words` stand in `text` as whole words.
fn has_words(text: &str, words: &str) -> bool {
    let is_part = |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '-');
    text.match_indices(words).any(|(at, _)| {
        let (before, after) = (text.get(..at), text.get(at + words.len()..));
        !is_part(before.and_then(|before| before.chars().next_back())) && !is_part(after.and_then(|after| after.chars().next()))
    })
}

/// Two values of one thing, as "3 before, 2 after"; it is "3 → 2".
#[cfg(test)]
fn is_before_and_after(text: &str) -> bool {
    text.split_once("} before, {").is_some_and(|(_, rest)| rest.contains("} after"))
}

#[test]
fn no_text_has_a_word_that_is_avoided() {
    let mut wrong = Vec::new();
    for language in [Language::English, Language::Chinese] {
        for (key, text) in super::texts(language) {
            if let Some((words, instead)) = avoided(language, text) {
                wrong.push(format!("{key}: '{words}' is {instead}, in '{text}'"));
            }
            if is_before_and_after(text) {
                wrong.push(format!("{key}: write → between the two, in '{text}'"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} texts:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn avoided_words_are_found_as_whole_words() {
    let found = |text| avoided(Language::English, text).map(|(words, _)| words);
    assert_eq!(found("All Readings of {turns}"), Some("readings"));
    assert_eq!(found("457 % slower"), Some("% slower"));
    assert_eq!(found("Nobody wants it"), Some("nobody"));
    for right in ["Reading the file", "turn the stage off", "coprocessors", "{told}: 1.20×", "recommend", "read-back"] {
        assert_eq!(found(right), None, "{right}");
    }
    assert_eq!(avoided(Language::Chinese, "全部读数").map(|(words, _)| words), Some("读数"));
    assert_eq!(avoided(Language::Chinese, "三个通道的图像"), None);
    assert!(is_before_and_after("Loads: {a} before, {b} after") && !is_before_and_after("{a} before the output"));
}

/// What is wrong with how a text sets Chinese beside Latin letters; `None` where nothing is.
#[must_use]
pub fn chinese_fault(text: &str) -> Option<String> {
    let letters: Vec<char> = text.chars().collect();
    let pairs = letters.windows(2).filter_map(|pair| <[char; 2]>::try_from(pair).ok());
    let is_latin = |letter: char| letter.is_ascii_alphanumeric();
    let is_wide = |letter: char| "，。：；？！（）、“”".contains(letter);
    for [left, right] in pairs {
        let why = match (left, right) {
            _ if is_han(left) && is_latin(right) || is_latin(left) && is_han(right) => "a space belongs between",
            _ if is_han(left) && ",.:;?!".contains(right) => "the punctuation is not Chinese",
            _ if is_han(left) && right == '(' || left == ')' && is_han(right) => "the bracket is not Chinese",
            _ if is_wide(left) && right == ' ' || left == ' ' && is_wide(right) => "there is a space too many",
            _ => continue,
        };
        return Some(format!("{why}: '{left}{right}'"));
    }
    let between_han = letters.windows(3).any(|three| matches!(three, [left, ' ', right] if is_han(*left) && is_han(*right)));
    between_han.then(|| "a space between Chinese characters".to_owned())
}
