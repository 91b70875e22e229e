//! To which family a rule belongs, by how its name begins.

/// How sure a rule is, which decides what is done about a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A key or a password.
    Secret,
    /// Any value that is assigned to something with the name of a secret.
    Generic,
    /// The home directory of a person.
    Path,
    /// Data of a person.
    Personal,
}

/// Beginnings of names with their family; the first that fits counts.
const FAMILIES: [(&str, &[&str]); 9] = [
    (
        "llm",
        &[
            "anthropic",
            "openai",
            "openrouter",
            "cohere",
            "perplexity",
            "huggingface",
            "privateai",
            "groq",
            "xai",
            "replicate",
            "fireworks",
            "tavily",
            "langsmith",
            "langfuse",
            "e2b",
            "nvidia",
            "llm-",
            "aws-amazon-bedrock",
            "jina",
            "firecrawl",
            "elevenlabs",
            "cerebras",
        ],
    ),
    (
        "cloud",
        &[
            "aws",
            "azure",
            "gcp",
            "google",
            "alibaba",
            "digitalocean",
            "cloudflare",
            "heroku",
            "flyio",
            "doppler",
            "scalingo",
            "yandex",
            "netlify",
            "vercel",
            "render",
            "supabase",
            "databricks",
            "openshift",
            "kubernetes",
            "pulumi",
            "hashicorp",
            "vault",
            "confluent",
            "harness",
            "prefect",
            "fastly",
            "docker",
        ],
    ),
    (
        "vcs",
        &[
            "github",
            "gitlab",
            "bitbucket",
            "sourcegraph",
            "npm",
            "pypi",
            "rubygems",
            "clojars",
            "nuget",
            "jfrog",
            "artifactory",
            "atlassian",
            "codecov",
            "travisci",
            "droneci",
            "git-credential",
            "snyk",
            "sonar",
        ],
    ),
    (
        "chat",
        &[
            "slack",
            "discord",
            "telegram",
            "microsoft-teams",
            "mattermost",
            "gitter",
            "twilio",
            "sendgrid",
            "sendinblue",
            "mailgun",
            "mailchimp",
            "messagebird",
            "sendbird",
            "intercom",
            "twitter",
            "resend",
        ],
    ),
    (
        "payment",
        &[
            "stripe",
            "square-",
            "flutterwave",
            "gocardless",
            "plaid",
            "coinbase",
            "shopify",
            "kraken",
            "kucoin",
            "bittrex",
            "finicity",
        ],
    ),
    (
        "database",
        &["database", "planetscale", "clickhouse", "mongodb", "neon-"],
    ),
    (
        "private-key",
        &["private-key", "age-secret-key", "pkcs12-file", "putty"],
    ),
    (
        "session",
        &[
            "session",
            "curl-auth",
            "authorization",
            "api-key-header",
            "jwt",
            "gitlab-session",
            "netrc",
            "url-password",
        ],
    ),
    ("generic", &["generic"]),
];

/// The family of the rule of this name, and how sure it is.
pub fn of(id: &str) -> (&'static str, Kind) {
    match id {
        "machine-path" => return ("path", Kind::Path),
        "email-address" | "ip-address" | "phone-number" => return ("personal", Kind::Personal),
        "gitlab-session-cookie" => return ("session", Kind::Secret),
        _ => {}
    }
    let family = FAMILIES
        .iter()
        .find(|(_, starts)| starts.iter().any(|start| id.starts_with(start)))
        .map_or("token", |(family, _)| *family);
    let kind = if family == "generic" {
        Kind::Generic
    } else {
        Kind::Secret
    };
    (family, kind)
}
