//! Inserts large finished HTML into a page without passing it through the template, which only prints placeholders.

use markup::Html;

/// The prefix of a placeholder. No recorded text can print it, because its `<` is always escaped.
const OPEN: &[u8] = b"<runpress-slot ";

/// Large HTML of a page. Templates would copy it twice: into their values, and into the page.
#[derive(Debug, Default)]
pub struct Slots(Vec<Html>);

impl Slots {
    /// Keeps the HTML, and returns its placeholder for the view.
    pub fn insert(&mut self, html: Html) -> Html {
        self.0.push(html);
        let number = self.0.len() - 1;
        Html::finished(format!("<runpress-slot {number}>"))
    }

    /// Total bytes of the HTML kept.
    pub(super) fn len(&self) -> usize {
        self.0.iter().map(|html| html.as_str().len()).sum()
    }

    /// Appends the output of a template, with placeholders replaced.
    pub(super) fn fill(&self, printed: &[u8], out: &mut Vec<u8>) {
        let mut done = 0;
        for at in memchr::memmem::find_iter(printed, OPEN) {
            let digits = &printed[at + OPEN.len()..];
            let length = digits.iter().position(|byte| *byte == b'>');
            let number = length
                .and_then(|length| std::str::from_utf8(&digits[..length]).ok())
                .and_then(|digits| digits.parse::<usize>().ok());
            let Some((html, length)) = number.and_then(|number| self.0.get(number)).zip(length)
            else {
                continue;
            };
            out.extend_from_slice(&printed[done..at]);
            out.extend_from_slice(html.as_str().as_bytes());
            done = at + OPEN.len() + length + 1;
        }
        out.extend_from_slice(&printed[done..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_comes_where_the_template_has_put_it_and_nothing_else_changes() {
        let mut slots = Slots::default();
        let [first, second] = ["<b>one</b>", "<runpress-slot 0>"]
            .map(|html| slots.insert(Html::finished(html.to_owned())));
        let (first, second) = (first.as_str(), second.as_str());
        let filled = |printed: &str| {
            let mut out = Vec::new();
            slots.fill(printed.as_bytes(), &mut out);
            String::from_utf8(out).expect("UTF-8")
        };
        assert_eq!(
            filled(&format!("<ol>{second}</ol>{first}, again {first}.")),
            "<ol><runpress-slot 0></ol><b>one</b>, again <b>one</b>.",
            "what is in a slot is not looked at"
        );
        for other in [
            "",
            "no slot",
            "<runpress-slot ",
            "<runpress-slot 7>",
            "<runpress-slot x> ä",
        ] {
            assert_eq!(filled(other), other);
        }
    }
}
