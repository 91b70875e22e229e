//! The family of a rule, by the prefix of its name.

/// The confidence of a rule, which decides how a finding is handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RuleKind {
    /// A key or a password.
    Secret,
    /// Any value assigned to a name that suggests a secret.
    Generic,
    /// The home directory of a person.
    Path,
    /// Personal data.
    Personal,
}

/// Name prefixes with their families; the first match wins.
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

/// The family and confidence of the rule with this name.
pub fn of(id: &str) -> (&'static str, RuleKind) {
    match id {
        "machine-path" => return ("path", RuleKind::Path),
        "email-address" | "ip-address" | "phone-number" => return ("personal", RuleKind::Personal),
        "gitlab-session-cookie" => return ("session", RuleKind::Secret),
        _ => {}
    }
    let family = FAMILIES
        .iter()
        .find(|(_, starts)| starts.iter().any(|start| id.starts_with(start)))
        .map_or("token", |(family, _)| *family);
    let kind = if family == "generic" {
        RuleKind::Generic
    } else {
        RuleKind::Secret
    };
    (family, kind)
}
