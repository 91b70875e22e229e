//! The limits of hosts of static sites.

use super::{Budget, MIB};

/// A host.
#[derive(Debug, PartialEq, Eq)]
pub struct Host {
    /// Its name in `[publish] host`.
    pub name: &'static str,
    /// Its name in messages.
    pub title: &'static str,
    /// Its limits, of the free plan if it has plans; what it does not limit is absent.
    pub limits: Budget,
    /// Other limits of paid plans.
    pub paid: Budget,
    /// URL of the documentation of the limits.
    pub source: &'static str,
    /// When the documentation was read.
    pub read: &'static str,
}

/// The hosts with presets.
pub static HOSTS: [Host; 5] = [
    Host {
        name: "github-pages",
        title: "GitHub Pages",
        limits: Budget {
            bytes: Some(1_000_000_000),
            ..NONE
        },
        paid: NONE,
        source: "https://docs.github.com/en/pages/getting-started-with-github-pages/github-pages-limits",
        read: "2026-11",
    },
    Host {
        name: "cloudflare-pages",
        title: "Cloudflare Pages",
        limits: Budget {
            files: Some(20_000),
            file: Some(25 * MIB),
            ..NONE
        },
        paid: Budget {
            files: Some(100_000),
            ..NONE
        },
        source: "https://developers.cloudflare.com/pages/platform/limits/",
        read: "2026-11",
    },
    // "54,000 files per directory"; the folders in it count here, too.
    Host {
        name: "netlify",
        title: "Netlify",
        limits: Budget {
            entries: Some(54_000),
            ..NONE
        },
        paid: NONE,
        source: "https://docs.netlify.com/site-deploys/overview/",
        read: "2026-11",
    },
    // "<100k" files, "<10k" entries.
    Host {
        name: "huggingface",
        title: "Hugging Face",
        limits: Budget {
            files: Some(99_999),
            entries: Some(9_999),
            ..NONE
        },
        paid: NONE,
        source: "https://huggingface.co/docs/hub/storage-limits",
        read: "2026-11",
    },
    // 10,000 parts of 5 GiB. A single request takes 5 GB, but upload tools split larger files.
    Host {
        name: "s3",
        title: "Amazon S3",
        limits: Budget {
            file: Some(50_000 * 1024 * MIB),
            ..NONE
        },
        paid: NONE,
        source: "https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html",
        read: "2026-11",
    },
];

const NONE: Budget = Budget {
    files: None,
    bytes: None,
    file: None,
    entries: None,
};
