//! The terms of a text: what search finds it by. `static/js/find.js` makes the same of the words that somebody types.
//!
//! A term is a run of letters and digits in lower case without accents. Scripts that set no spaces between words give a term for each
//! pair of letters, and for the last letter. An arrow, a sign or an emoji is a term of its own.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::characters::is_hidden;

/// Characters of a term; what is behind them is not searched.
pub const LONGEST: usize = 40;

/// Letters with accents, and other forms of a letter, behind the letter that they are searched as.
const FOLDED: [(char, &str); 59] = [
    ('a', "àáâãäåāăąǎǟǡǻȁȃȧḁạảấầẩẫậắằẳẵặ"),
    ('b', "ḃḅḇ"),
    ('c', "çćĉċčḉ"),
    ('d', "ďḋḍḏḑḓ"),
    ('e', "èéêëēĕėęěȅȇȩḕḗḙḛḝẹẻẽếềểễệ"),
    ('f', "ḟ"),
    ('g', "ĝğġģǧǵḡ"),
    ('h', "ĥȟḣḥḧḩḫẖ"),
    ('i', "ìíîïĩīĭįǐȉȋḭḯỉị"),
    ('j', "ĵǰ"),
    ('k', "ķǩḱḳḵ"),
    ('l', "ĺļľḷḹḻḽ"),
    ('m', "ḿṁṃ"),
    ('n', "ñńņňǹṅṇṉṋ"),
    ('o', "òóôõöōŏőơǒǫǭȍȏȫȭȯȱṍṏṑṓọỏốồổỗộớờởỡợ"),
    ('p', "ṕṗ"),
    ('r', "ŕŗřȑȓṙṛṝṟ"),
    ('s', "śŝşšſșṡṣṥṧṩẛ"),
    ('t', "ţťțṫṭṯṱẗ"),
    ('u', "ùúûüũūŭůűųưǔǖǘǚǜȕȗṳṵṷṹṻụủứừửữự"),
    ('v', "ṽṿ"),
    ('w', "ŵẁẃẅẇẉẘ"),
    ('x', "ẋẍ"),
    ('y', "ýÿŷȳẏẙỳỵỷỹ"),
    ('z', "źżžẑẓẕ"),
    ('æ', "ǣǽ"),
    ('ø', "ǿ"),
    ('ʒ', "ǯ"),
    ('ʹ', "\u{374}"),
    ('α', "άἀἁἂἃἄἅἆἇὰ\u{1f71}ᾀᾁᾂᾃᾄᾅᾆᾇᾰᾱᾲᾳᾴᾶᾷ"),
    ('β', "ϐ"),
    ('ε', "έϵἐἑἒἓἔἕὲ\u{1f73}"),
    ('η', "ήἠἡἢἣἤἥἦἧὴ\u{1f75}ᾐᾑᾒᾓᾔᾕᾖᾗῂῃῄῆῇ"),
    ('θ', "ϑ"),
    ('ι', "ΐίϊἰἱἲἳἴἵἶἷὶ\u{1f77}ῐῑῒ\u{1fd3}ῖῗ"),
    ('κ', "ϰ"),
    ('ο', "όὀὁὂὃὄὅὸ\u{1f79}"),
    ('π', "ϖ"),
    ('ρ', "ϱῤῥ"),
    ('σ', "ςϲ"),
    ('υ', "ΰϋύὐὑὒὓὔὕὖὗὺ\u{1f7b}ῠῡῢ\u{1fe3}ῦῧϒϓϔ"),
    ('φ', "ϕ"),
    ('ω', "ώὠὡὢὣὤὥὦὧὼ\u{1f7d}ᾠᾡᾢᾣᾤᾥᾦᾧῲῳῴῶῷ"),
    ('а', "ӑӓ"),
    ('г', "ѓ"),
    ('е', "ѐёӗ"),
    ('ж', "ӂӝ"),
    ('з', "ӟ"),
    ('и', "йѝӣӥ"),
    ('к', "ќ"),
    ('о', "ӧ"),
    ('у', "ўӯӱӳ"),
    ('ч', "ӵ"),
    ('ы', "ӹ"),
    ('э', "ӭ"),
    ('і', "ї"),
    ('ѵ', "ѷ"),
    ('ә', "ӛ"),
    ('ө', "ӫ"),
];

static FOLDS: LazyLock<BTreeMap<char, char>> = LazyLock::new(|| {
    let each = FOLDED.into_iter();
    each.flat_map(|(base, all)| all.chars().map(move |letter| (letter, base)))
        .collect()
});

#[derive(PartialEq, Eq, Clone, Copy)]
enum Class {
    Word,
    /// Of a script without spaces.
    Dense,
    Sign,
    Gap,
}

fn class(c: char) -> Class {
    match u32::from(c) {
        0..0x80 if c.is_ascii_alphanumeric() => Class::Word,
        0..0x80 => Class::Gap,
        0xe00..0xe80
        | 0x3005..0x3008
        | 0x3040..0x3100
        | 0x31f0..0x3200
        | 0x3400..0x4dc0
        | 0x4e00..0xa000
        | 0xf900..0xfb00
        | 0xff66..0xffa0
        | 0x2_0000..0x4_0000 => Class::Dense,
        0x2190..0x2c00 | 0x1_f000..0x1_fb00 => Class::Sign,
        _ if c.is_alphanumeric() && !is_hidden(c) => Class::Word,
        _ => Class::Gap,
    }
}

/// In lower case, without accents.
fn plain(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let is_accent = |c: &char| matches!(c, '\u{300}'..='\u{36f}');
    let fold = |c: char| match c {
        '\0'..'\u{80}' => c,
        '！'..='～' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        _ => FOLDS.get(&c).copied().unwrap_or(c),
    };
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii() {
            plain.push(c.to_ascii_lowercase());
        } else {
            plain.extend(c.to_lowercase().filter(|c| !is_accent(c)).map(fold));
        }
    }
    plain
}

/// The first characters of a text.
fn cut(text: &str, characters: usize) -> &str {
    let end = text.char_indices().nth(characters);
    end.map_or(text, |(end, _)| &text[..end])
}

/// Gives each term of a text, as often as it has it.
pub fn each(text: &str, mut found: impl FnMut(&str)) {
    let is_ascii = text.is_ascii();
    let text = plain(text);
    if is_ascii {
        let runs = text.split(|c: char| !c.is_ascii_alphanumeric());
        let runs = runs.filter(|run| !run.is_empty());
        return runs.for_each(|run| found(&run[..run.len().min(LONGEST)]));
    }
    let mut rest = text.as_str();
    while let Some(first) = rest.chars().next() {
        let class_of = class(first);
        let end = match class_of {
            Class::Sign => Some(first.len_utf8()),
            _ => rest.find(|c| class(c) != class_of),
        };
        let (run, behind) = rest.split_at(end.unwrap_or(rest.len()));
        match class_of {
            Class::Gap => {}
            Class::Dense => {
                let places = run.char_indices();
                places.for_each(|(at, _)| found(cut(&run[at..], 2)));
            }
            Class::Word if run.len() > LONGEST => found(cut(run, LONGEST)),
            Class::Word | Class::Sign => found(run),
        }
        rest = behind;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> Vec<String> {
        let mut all = Vec::new();
        each(text, |term| all.push(term.to_owned()));
        all
    }

    #[test]
    fn a_term_is_a_run_of_letters_and_digits_in_lower_case_without_accents() {
        let text = "Tool_gap: `a=b` 00042BE0-ae2d É e\u{301}t\u{e9} ΌΣΟΣ Ёж Ｗｉｄｅ straße";
        let expected = [
            "tool", "gap", "a", "b", "00042be0", "ae2d", "e", "ete", "οσοσ", "еж", "wide", "straße",
        ];
        assert_eq!(terms(text), expected);
        assert_eq!(terms(&"x".repeat(100)), ["x".repeat(LONGEST)]);
        assert_eq!(terms(" \u{202e}<>&$.\\ "), [""; 0]);
    }

    #[test]
    fn scripts_without_spaces_give_pairs_and_signs_are_terms() {
        assert_eq!(
            terms("pong测试案例"),
            ["pong", "测试", "试案", "案例", "例"]
        );
        assert_eq!(terms("ok→✓🎮"), ["ok", "→", "✓", "🎮"]);
    }
}
