//! Parses Rust just enough to find the modules that a file uses: tokens, `use` trees, paths.

/// A path from the crate's root: `["view", "format", "count"]`.
pub(super) type Path = Vec<String>;

/// A path used by a module, and for a `use` the name it introduces.
#[derive(Debug)]
pub(super) struct Named {
    pub(super) within: Path,
    pub(super) path: Path,
    pub(super) alias: Option<String>,
}

/// Words, `::` and single symbols. Skips comments, strings, characters and lifetimes.
fn tokens(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let at = |index: usize| chars.get(index).copied().unwrap_or('\0');
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let (mut tokens, mut i) = (Vec::new(), 0);
    while i < chars.len() {
        match at(i) {
            '/' if at(i + 1) == '/' => {
                while i < chars.len() && at(i) != '\n' {
                    i += 1;
                }
            }
            '/' if at(i + 1) == '*' => {
                let mut depth = 0;
                loop {
                    match (at(i), at(i + 1)) {
                        ('/', '*') => (depth, i) = (depth + 1, i + 2),
                        ('*', '/') => (depth, i) = (depth - 1, i + 2),
                        _ => i += 1,
                    }
                    if depth == 0 || i >= chars.len() {
                        break;
                    }
                }
            }
            '"' => {
                i += 1;
                while i < chars.len() && at(i) != '"' {
                    i += if at(i) == '\\' { 2 } else { 1 };
                }
                i += 1;
            }
            '\'' if at(i + 1) == '\\' => {
                i += 3;
                while i < chars.len() && at(i) != '\'' {
                    i += 1;
                }
                i += 1;
            }
            '\'' if at(i + 2) == '\'' => i += 3,
            // A lifetime: its name becomes a word, with which no path begins.
            '\'' => i += 1,
            c if is_word(c) => {
                let start = i;
                while is_word(at(i)) {
                    i += 1;
                }
                let word: String = chars[start..i].iter().collect();
                let hashes = chars[i..].iter().take_while(|c| **c == '#').count();
                if matches!(word.as_str(), "r" | "br" | "cr") && at(i + hashes) == '"' {
                    let end: Vec<char> = format!("\"{}", "#".repeat(hashes)).chars().collect();
                    i += hashes + 1;
                    while i < chars.len() && !chars[i..].starts_with(&end) {
                        i += 1;
                    }
                    i += end.len();
                } else {
                    tokens.push(word);
                }
            }
            ':' if at(i + 1) == ':' => {
                tokens.push("::".to_owned());
                i += 2;
            }
            c => {
                if !c.is_whitespace() {
                    tokens.push(c.to_string());
                }
                i += 1;
            }
        }
    }
    tokens
}

/// Every path used in the source of the module `within`, from the crate root. Skips unit tests and paths of other crates.
/// `is_module` knows the modules with a file.
pub(super) fn named(
    text: &str,
    within: &[String],
    is_module: &dyn Fn(&[String]) -> bool,
) -> Vec<Named> {
    let mut reader = Reader {
        tokens: tokens(text),
        at: 0,
        module: within.to_vec(),
        is_module,
        named: Vec::new(),
    };
    reader.items();
    reader.named
}

/// The words of a file without unit tests, including words from other crates.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut reader = Reader {
        tokens: tokens(text),
        at: 0,
        module: Vec::new(),
        is_module: &|_| false,
        named: Vec::new(),
    };
    let mut words = Vec::new();
    while reader.at < reader.tokens.len() {
        if !reader.skip_tests() {
            words.push(reader.tokens[reader.at].clone());
            reader.at += 1;
        }
    }
    words
}

struct Reader<'a> {
    tokens: Vec<String>,
    at: usize,
    module: Path,
    is_module: &'a dyn Fn(&[String]) -> bool,
    named: Vec<Named>,
}

impl Reader<'_> {
    fn is(&self, offset: usize, token: &str) -> bool {
        self.tokens
            .get(self.at + offset)
            .is_some_and(|found| found == token)
    }

    /// Skips an item that is compiled only for tests.
    fn skip_tests(&mut self) -> bool {
        let test = ["#", "[", "cfg", "(", "test", ")", "]"];
        if !test
            .iter()
            .enumerate()
            .all(|(offset, token)| self.is(offset, token))
        {
            return false;
        }
        while self.at < self.tokens.len() && !self.is(0, "{") && !self.is(0, ";") {
            self.at += 1;
        }
        let mut depth = 0;
        loop {
            depth += i32::from(self.is(0, "{")) - i32::from(self.is(0, "}"));
            self.at += 1;
            if depth == 0 || self.at >= self.tokens.len() {
                return true;
            }
        }
    }

    fn items(&mut self) {
        // The brace depth at which each inline module begins.
        let (mut depth, mut inline) = (0, Vec::new());
        while self.at < self.tokens.len() {
            if self.skip_tests() {
                continue;
            }
            let token = self.tokens[self.at].clone();
            match token.as_str() {
                "mod" if self.is(2, "{") => {
                    self.module.push(self.tokens[self.at + 1].clone());
                    inline.push(depth);
                    depth += 1;
                    self.at += 3;
                    continue;
                }
                "{" => depth += 1,
                "}" => {
                    depth -= 1;
                    if inline.last() == Some(&depth) {
                        inline.pop();
                        self.module.pop();
                    }
                }
                "use" => {
                    self.at += 1;
                    self.tree(&mut Vec::new());
                    continue;
                }
                "crate" | "self" | "super" if self.is(1, "::") => {
                    let mut path = vec![token];
                    while self.is(1, "::") && self.is_name(2) {
                        self.at += 2;
                        path.push(self.tokens[self.at].clone());
                    }
                    self.add(&path, None);
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    fn is_name(&self, offset: usize) -> bool {
        let first = self
            .tokens
            .get(self.at + offset)
            .and_then(|token| token.chars().next());
        first.is_some_and(|c| c.is_alphabetic() || c == '_')
    }

    /// Parses a tree of `use` up to its end.
    fn tree(&mut self, prefix: &mut Path) {
        let length = prefix.len();
        loop {
            if self.is(0, "{") {
                self.at += 1;
                while !self.is(0, "}") && self.at < self.tokens.len() {
                    self.tree(prefix);
                    self.at += usize::from(self.is(0, ","));
                }
                self.at += 1;
                break;
            } else if self.is(0, "::") {
                self.at += 1;
            } else if self.is(0, "*") {
                self.at += 1;
                self.add(prefix, None);
                break;
            } else if self.is_name(0) {
                prefix.push(self.tokens[self.at].clone());
                self.at += 1;
                if !self.is(0, "::") {
                    let mut alias = prefix.last().cloned();
                    if self.is(0, "as") {
                        alias = self.tokens.get(self.at + 1).cloned();
                        self.at += 2;
                    }
                    if prefix.last().is_some_and(|last| last == "self") {
                        prefix.pop();
                        alias = prefix.last().cloned();
                    }
                    let path = prefix.clone();
                    self.add(&path, alias);
                    break;
                }
            } else {
                break;
            }
        }
        prefix.truncate(length);
    }

    fn add(&mut self, written: &[String], alias: Option<String>) {
        let mut path = self.module.clone();
        let mut rest = written;
        if rest.first().is_some_and(|first| first == "crate") {
            path.clear();
            rest = &rest[1..];
        }
        let is_relative = |word: &String| word == "self" || word == "super";
        while let Some(first) = rest.first().filter(|word| is_relative(word)) {
            if first == "super" {
                path.pop();
            }
            rest = &rest[1..];
        }
        path.extend(rest.iter().cloned());
        // A `use` that begins with a name refers to a sibling module or another crate.
        let beside = self.module.len() + 1;
        if rest.len() == written.len() && !(self.is_module)(&path[..beside.min(path.len())]) {
            return;
        }
        self.named.push(Named {
            within: self.module.clone(),
            path,
            alias,
        });
    }
}
