//! Codes of secrets in published content. Named after the families of rules in `src/secrets/families.rs`.

codes! {
    SECRET_LLM = "secret.llm" Error "a key of a model provider would be published"
        why "Whoever has the key can use the model at your cost and may read your data there. **Revoke the key first**: it was in a log, so others may have it already. Then withhold it with `runpress redact RUN --finding FINGERPRINT --reason secret`: the recorded file stays as it is, and the site shows `[withheld: secret, 48 characters]` instead. A value that is no secret can be allowed with `[[secrets.allow]]` in site.toml, with a reason. The value itself is in no message and no report."
        bad "{\"type\":\"command\",\"command\":\"export OPENAI_API_KEY=sk-…\"}"
        good "{\"type\":\"command\",\"command\":\"export OPENAI_API_KEY=$KEY\"}";
    SECRET_CLOUD = "secret.cloud" Error "a key of a cloud provider would be published"
        why "Whoever has the key can use the account: bots find published keys within minutes. **Revoke the key first**, then withhold it with `runpress redact RUN --finding FINGERPRINT --reason secret`. Answers of a metadata service hold temporary keys; they expire, but name the role. A value that is no secret can be allowed with `[[secrets.allow]]` in site.toml, with a reason."
        bad "{\"type\":\"command\",\"output\":\"AWS_SECRET_ACCESS_KEY=…\"}"
        good "{\"type\":\"command\",\"output\":\"AWS_SECRET_ACCESS_KEY=[hidden]\"}";
    SECRET_VCS = "secret.vcs" Error "a token of a code host or a package registry would be published"
        why "Whoever has the token can read private code, push commits or publish packages as its owner. **Revoke the token first**, then withhold it with `runpress redact RUN --finding FINGERPRINT --reason secret`. A value that is no secret can be allowed with `[[secrets.allow]]` in site.toml, with a reason."
        bad "git clone https://x-access-token:ghs_…@github.com/acme/app"
        good "git clone https://github.com/acme/app";
    SECRET_CHAT = "secret.chat" Error "a token of a messaging service would be published"
        why "Whoever has the token can read and send messages as its owner. **Revoke the token first**, then withhold it with `runpress redact RUN --finding FINGERPRINT --reason secret`. A value that is no secret can be allowed with `[[secrets.allow]]` in site.toml, with a reason."
        bad "curl https://hooks.slack.com/services/…"
        good "curl $SLACK_WEBHOOK";
    SECRET_PAYMENT = "secret.payment" Error "a key of a payment service would be published"
        why "Whoever has the key can see customers and may move money. **Revoke the key first**, then withhold it with `runpress redact RUN --finding FINGERPRINT --reason secret`. A value that is no secret, such as a key of a test account that is published anyway, can be allowed with `[[secrets.allow]]` in site.toml, with a reason."
        bad "STRIPE_KEY=sk_live_…"
        good "STRIPE_KEY=$STRIPE_KEY";
    SECRET_DATABASE = "secret.database" Error "the password of a database would be published"
        why "The address has a user and a password. Whoever can reach the host can read the data. **Change the password first**, then withhold it with `runpress redact RUN --finding FINGERPRINT --reason secret`. Passwords such as `password` or `postgres` are ignored. A value that is no secret can be allowed with `[[secrets.allow]]` in site.toml, with a reason."
        bad "psql postgres://app:…@db.example.org/app"
        good "psql $DATABASE_URL";
    SECRET_PRIVATE_KEY = "secret.private-key" Error "a private key would be published"
        why "Whoever has the key can log in, sign or decrypt as its owner. **Replace the key first**, then withhold it with `runpress redact RUN --finding FINGERPRINT --reason secret`; a file that is a key can be withheld whole. A key whose end is cut off is reported, too. A key that tests generate can be allowed with `[[secrets.allow]]` in site.toml, with a reason."
        bad "cat ~/.ssh/id_ed25519"
        good "cat ~/.ssh/id_ed25519.pub";
    SECRET_SESSION = "secret.session" Error "credentials of a session would be published"
        why "A cookie, an `Authorization` header, a JSON Web Token or a password in an address lets others act as its owner until it expires. **End the session first**, then withhold the value with `runpress redact RUN --finding FINGERPRINT --reason secret`. A value that is no secret can be allowed with `[[secrets.allow]]` in site.toml, with a reason."
        bad "curl -H 'Authorization: Bearer …' https://api.example.org"
        good "curl -H \"Authorization: Bearer $TOKEN\" https://api.example.org";
    SECRET_TOKEN = "secret.token" Error "a token of a service would be published"
        why "The value has the shape of the keys of a service; the rule that is named in the message says which. **Revoke the key first**, then withhold it with `runpress redact RUN --finding FINGERPRINT --reason secret`. A value that is no secret can be allowed with `[[secrets.allow]]` in site.toml, with a reason."
        bad "DATADOG_API_KEY=…"
        good "DATADOG_API_KEY=$DATADOG_API_KEY";
    SECRET_GENERIC = "secret.generic" Error "a value that looks like a secret would be published"
        why "A random value is assigned to a name such as `token`, `password` or `api_key`. This rule is less sure than the others. If it is a secret, **revoke it first**, then withhold it with `runpress redact RUN --finding FINGERPRINT --reason secret`. If it is none, allow it with `[[secrets.allow]]` in site.toml: by its fingerprint, or by rule and path where many are alike."
        bad "service_token: \"f8Zq2LkT…\""
        good "service_token: ${SERVICE_TOKEN}";
    SECRET_PERSONAL = "secret.personal" Note "personal data would be published"
        why "An e-mail address, an IP address or a phone number. They are looked for only where `personal` in `[secrets]` is `note` or `error`; these rules are less sure than those of secrets. Withhold the value with `runpress redact RUN --finding FINGERPRINT --reason personal`, or allow it with `[[secrets.allow]]`."
        bad "[secrets]\npersonal = \"note\"\n# and an event with an address of a person"
        good "[secrets]\npersonal = \"off\"";
    SECRET_PATH = "secret.path" Note "a home directory with the name of a person would be published"
        why "Paths such as `/home/<name>` and `/Users/<name>` say who recorded the run. There is one note for each file, at the first path. Names of accounts such as `root`, `runner` or `ubuntu` are not reported. Record runs in a folder such as `/workspace`, withhold the name with `runpress redact`, or set `paths` in `[secrets]` to `off`; with `error`, nothing is published."
        bad "{\"type\":\"read\",\"path\":\"/home/<name>/app/main.py\"}"
        good "{\"type\":\"read\",\"path\":\"app/main.py\"}";
    SECRET_UNUSED_ALLOWANCE = "secret.unused-allowance" Warning "an entry of `[[secrets.allow]]` allows nothing"
        why "No finding has this fingerprint, rule and path: the file was changed, or the entry is misspelled. An entry that is not needed may allow a secret tomorrow, so remove it. A fingerprint is made of the place of a finding, so a changed file has others."
        bad "[[secrets.allow]]\nfingerprint = \"0000000000000000\"\nreason = \"a sample\""
        good "[[secrets.allow]]\nrule = \"generic-api-key\"\npath = \"fixtures/**\"\nreason = \"keys that the tests generate\"";
}
