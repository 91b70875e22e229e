//! The tokenizer of search. `static/js/find.js` splits queries in the same way.
//!
//! A term is a run of letters and digits, in lower case and without accents. In scripts without spaces between words, each pair of
//! letters is a term, and so is the last letter. An arrow, a sign or an emoji is a separate term.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use base::characters::is_hidden;

/// Maximum characters of a term; the rest is not indexed.
pub const LONGEST: usize = 40;

/// Each letter, with the accented and other forms that fold to it.
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
    /// Scripts without spaces between words.
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

/// A text in lower case, without accents.
fn fold(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let is_accent = |c: &char| matches!(c, '\u{300}'..='\u{36f}');
    let fold = |c: char| match c {
        '\0'..'\u{80}' => c,
        '！'..='～' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        _ => FOLDS.get(&c).copied().unwrap_or(c),
    };
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

/// Calls `found` for each term of a text, including repetitions.
pub fn each(text: &str, mut found: impl FnMut(&str)) {
    let text = fold(text);
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

    #[test]
    fn a_term_is_the_same_among_letters_of_any_length() {
        for length in 1..=LONGEST {
            let plain = "Ab9".repeat(14)[..length].to_owned();
            let term = plain.to_lowercase();
            assert_eq!(terms(&format!("{plain}.é {plain}")), [&term, "e", &term]);
            let accented = format!("{plain}\u{301}");
            assert_eq!(terms(&accented), [term.as_str()]);
        }
    }
}
