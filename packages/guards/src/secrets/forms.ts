/** The form of a service's secret keys or tokens: how to recognise one in a text. */
export interface Form {
  /** The kind of secret that a finding reports. */
  readonly kind: string;
  /** Prefixes of the keys; empty for a form without a fixed prefix. */
  readonly starts: readonly string[];
  /** Matches the rest of the key, after the prefix. */
  readonly body: RegExp;
  /** An expression that must match in the surrounding text, since the form alone proves nothing. */
  readonly near?: RegExp;
  /** Whether the last six characters are a checksum of the others. A key with a correct one is no example. */
  readonly hasChecksum?: true;
  /** Matches the part of a key before the text in `starts`, if that text is in the middle of the key. */
  readonly before?: RegExp;
}

type More = Pick<Form, "near" | "hasChecksum" | "before">;
type Row = readonly [kind: string, starts: string, body: string, more?: More];

const CHECKSUM: More = { hasChecksum: true };
const before = (expression: RegExp): More => ({ before: expression });
const near = (expression: RegExp): More => ({ near: expression });

const UUID = "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";

/**
 * Forms of keys: a kind, the possible prefixes, and an expression for the rest. Sources: the services' own
 * documentation and public lists of prefixes, read in July and November 2026.
 */
const ROWS: readonly Row[] = [
  // AI models and data
  ["anthropic key", "sk-ant-", "[a-z]{2,10}[0-9]{2}-[\\w-]{40,200}"],
  ["anthropic key", "sk-ant-", "[\\w-]{32,200}"],
  ["openrouter key", "sk-or-v1- sk-or-", "[\\w-]{32,128}"],
  ["openai key", "sk-proj- sk-svcacct- sk-admin- sk-service- sess-", "[\\w-]{32,250}"],
  ["model key", "sk-lf- sk-", "(?!ssh-|ecdsa-)[A-Za-z0-9_-]{20,250}"],
  ["cursor key", "key_", "[0-9a-f]{64}"],
  ["voyage key", "pa-", "[\\w-]{43}"],
  ["groq key", "gsk_", "\\w{32,100}"],
  ["xai key", "xai-", "[A-Za-z0-9]{40,120}"],
  ["perplexity key", "pplx-", "[A-Za-z0-9]{32,80}"],
  ["nvidia key", "nvapi-", "[\\w-]{40,120}"],
  ["hugging face token", "hf_ api_org_", "[A-Za-z0-9]{30,60}"],
  ["replicate token", "r8_", "[A-Za-z0-9]{30,60}"],
  ["cerebras key", "csk-", "[a-z0-9]{40,64}"],
  ["fireworks key", "fw_", "[A-Za-z0-9]{20,40}"],
  ["together key", "tgp_v1_", "[\\w-]{30,80}"],
  ["firecrawl key", "fc-", "[0-9a-f]{32}"],
  ["langsmith key", "lsv2_pt_ lsv2_sk_ ls__", "[0-9a-f]{32}(?:_[0-9a-f]{10})?"],
  ["pinecone key", "pcsk_", "\\w{40,100}"],
  ["tavily key", "tvly-", "[\\w-]{24,80}"],
  ["jina key", "jina_", "[A-Za-z0-9_-]{40,90}"],
  ["e2b key", "e2b_", "[0-9a-f]{40}"],
  ["weights and biases key", "wandb_v1_", "\\w{30,100}"],
  ["elevenlabs key", "sk_", "[0-9a-f]{48}"],
  ["databricks token", "dapi", "[0-9a-f]{32}(?:-\\d)?"],
  ["posthog key", "phx_ phs_", "[A-Za-z0-9]{32,60}"],
  // Code hosting and CI
  ["github token", "ghp_ gho_ ghu_ ghs_ ghr_", "[A-Za-z0-9]{36,255}", CHECKSUM],
  ["github token", "github_pat_", "[A-Za-z0-9]{20,24}_[A-Za-z0-9]{40,80}"],
  ["github token", "github_pat_", "\\w{36,100}"],
  ["github app token", "ghs_", "[\\w.-]{40,600}"],
  [
    "gitlab token",
    "glpat- gldt- glrt- glft- glsoat- glffct- glimt- glwt-",
    "[\\w-]{20,300}(?:\\.[0-9a-z]{2}\\.?[0-9a-z]{7,9})?",
  ],
  ["gitlab token", "glptt- glcbt- glagent- gloas-", "[\\w-]{20,100}"],
  ["gitlab runner token", "GR1348941", "[\\w-]{20}"],
  ["bitbucket token", "ATBB ATCTT3", "[\\w=-]{24,250}"],
  ["atlassian token", "ATATT3 ATSTT3", "[\\w=-]{40,250}"],
  ["circleci token", "CCIPAT_ CCIPRJ_", "[A-Za-z0-9]{15,30}_[0-9a-f]{40}"],
  ["buildkite token", "bkua_ bkct_ bkaj_", "[0-9a-fA-F]{40,64}"],
  ["terraform token", ".atlasv1.", "[\\w=-]{60,80}", before(/[A-Za-z0-9]{14}$/)],
  ["pulumi token", "pul-", "[0-9a-f]{40}"],
  ["harness key", "pat. sat.", "[\\w-]{22}\\.[0-9a-zA-Z]{24}\\.[0-9a-zA-Z]{20}"],
  ["octopus key", "API-", "[A-Z0-9]{26,30}"],
  ["sourcegraph token", "sgp_", "(?:(?:[0-9a-fA-F]{16}|local)_)?[0-9a-fA-F]{40}"],
  ["sonar token", "squ_ sqp_ sqa_", "[0-9a-f]{40}"],
  ["codecov token", "codecov_", "[0-9a-f-]{32,40}"],
  ["snyk token", "snyk_uat. snyk_sat.", "[0-9a-f]{8}\\.[\\w-]{20,400}(?:\\.[\\w-]{20,400})?"],
  // Package registries
  ["npm token", "npm_", "[A-Za-z0-9]{36,60}", CHECKSUM],
  ["pypi token", "pypi-", "[\\w-]{50,1000}"],
  ["rubygems key", "rubygems_", "[0-9a-f]{48}"],
  ["crates token", "cio", "[A-Za-z0-9]{32}", near(/cargo|crate/i)],
  ["nuget key", "oy2", "[a-z0-9]{43}"],
  ["clojars token", "CLOJARS_", "[0-9a-f]{60}"],
  ["artifactory key", "AKCp cmVmd", "[A-Za-z0-9]{50,80}"],
  ["docker token", "dckr_pat_ dckr_oat_", "[\\w-]{24,60}"],
  // Clouds
  ["aws key id", "AKIA ASIA ABIA ACCA", "[A-Z0-9]{16}"],
  ["aws session token", "IQoJb3JpZ2lu FwoGZXIvYXdzE", "[A-Za-z0-9+/=]{80,2000}"],
  ["bedrock key", "ABSK bedrock-api-key-", "[A-Za-z0-9+/]{60,1000}={0,2}"],
  ["google key", "AIza", "[\\w-]{35}"],
  ["google token", "ya29.", "[\\w.-]{20,2000}"],
  ["google client secret", "GOCSPX-", "[\\w-]{24,40}"],
  ["google refresh token", "1//0", "[\\w-]{40,200}"],
  ["azure client secret", "Q~", "[\\w.~-]{31,34}", before(/[\w.~]{3}\d$/)],
  ["azure storage key", "+ASt", "[A-Za-z0-9+/]{6}={0,2}", before(/[A-Za-z0-9+/]{76}$/)],
  ["azure devops token", "AZDO", "[A-Za-z0-9]{4}", before(/[A-Za-z0-9]{76}$/)],
  ["azure key", "AzFu AzSe AzCa", "[A-Za-z0-9+/]{4,8}={0,2}", before(/[A-Za-z0-9+/]{30,80}$/)],
  ["alibaba key id", "LTAI", "[A-Za-z0-9]{12,24}"],
  ["tencent key id", "AKID", "[A-Za-z0-9]{32}"],
  ["yandex key", "AQVN y0_ t1.", "[\\w.=-]{35,300}", near(/yandex|cloud|token|key/i)],
  ["digitalocean token", "dop_v1_ doo_v1_ dor_v1_", "[0-9a-f]{64}"],
  ["linode token", "lin_", "[0-9a-f]{64}"],
  ["scaleway key", "SCW", "[A-Z0-9]{17}"],
  ["scalingo token", "tk-us-", "[\\w-]{48}"],
  ["heroku key", "HRKU-AA HRKU-", "[\\w-]{36,64}"],
  ["fly token", "fo1_ fm1a_ fm1r_ fm2_", "[\\w+/=-]{40,1000}"],
  ["render key", "rnd_", "[A-Za-z0-9]{28,40}"],
  ["deno token", "ddp_ ddo_ ddw_", "[A-Za-z0-9]{36}"],
  ["netlify token", "nfp_ nfc_ nfo_ nfu_", "[A-Za-z0-9]{36,40}"],
  ["vercel token", "vcp_ vci_ vca_ vcr_ vck_", "[A-Za-z0-9]{24,80}"],
  ["cloudflare key", "v1.0-", "[0-9a-f]{24}-[0-9a-f]{146}"],
  ["cloudflare token", "cfut_ cfat_ cfk_", "[\\w-]{32,80}"],
  ["railway token", "rw_Fe26.2**", "[\\w*.-]{40,600}"],
  // Secret stores and identity
  ["vault token", "hvs. hvb. hvr.", "[\\w-]{24,400}"],
  ["1password token", "ops_eyJ", "[\\w+/=-]{100,1500}"],
  ["1password key", "A3-", "[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"],
  ["doppler token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", "(?:[a-z0-9_-]{2,35}\\.)?[A-Za-z0-9]{40,44}"],
  ["infisical token", "st.", "[0-9a-f]{24}\\.[0-9a-f]{32}\\.[0-9a-f]{32}"],
  ["age key", "AGE-SECRET-KEY-1 AGE-SECRET-KEY-PQ-1", "[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58,80}"],
  ["openshift token", "sha256~", "[\\w-]{43}"],
  [
    "authress key",
    "sc_ ext_ scauth_ authress_",
    "[a-zA-Z0-9]{5,30}\\.[a-zA-Z0-9]{4,6}\\.acc[_-][a-zA-Z0-9-]{10,32}\\.[\\w+/=-]{30,120}",
  ],
  [
    "tailscale key",
    "tskey-auth- tskey-api- tskey-client- tskey-scim- tskey-webhook-",
    "\\w{8,24}(?:CNTRL)?-\\w{20,60}",
  ],
  ["ngrok key", "ak_ cr_", "2[A-Za-z0-9]{26}", near(/ngrok/i)],
  ["defined networking key", "dnkey-", "[\\w=-]{26}-[\\w=-]{52}"],
  ["okta token", "00", "[\\w-]{40}", near(/okta|ssws/i)],
  ["prefect key", "pnu_ pnb_", "[A-Za-z0-9]{36}"],
  // Payment and shops
  ["stripe key", "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_", "[A-Za-z0-9_]{14,250}"],
  ["stripe signing key", "whsec_", "[A-Za-z0-9+/=]{24,80}"],
  ["square token", "EAAA sq0atp- sq0csp-", "[\\w-]{22,64}"],
  ["paypal token", "access_token$production$ access_token$sandbox$", "[0-9a-z]{16}\\$[0-9a-f]{32}"],
  ["braintree key", "production_ sandbox_", "[a-z0-9]{8}_[a-z0-9]{16}", near(/braintree|paypal/i)],
  ["shopify token", "shpat_ shpca_ shppa_ shpss_ shpua_ shprt_ shptka_", "[0-9a-fA-F]{32,64}"],
  ["plaid token", "access-sandbox- access-development- access-production-", UUID],
  ["flutterwave key", "FLWSECK_TEST- FLWSECK-", "[0-9a-zA-Z]{12,40}(?:-X)?"],
  ["razorpay key", "rzp_live_ rzp_test_", "[A-Za-z0-9]{14,24}"],
  ["adyen key", "AQE", "[\\w+/=-]{60,300}", near(/adyen/i)],
  ["mollie key", "live_ test_", "[A-Za-z0-9]{30,35}", near(/mollie/i)],
  ["lob key", "live_ test_", "[0-9a-f]{35}", near(/lob/i)],
  ["gocardless token", "live_ sandbox_", "[\\w=-]{40}", near(/gocardless/i)],
  ["duffel token", "duffel_test_ duffel_live_", "[\\w=-]{40,50}"],
  ["easypost key", "EZAK EZTK", "[A-Za-z0-9]{54}"],
  ["shippo token", "shippo_live_ shippo_test_", "[0-9a-fA-F]{40}"],
  ["polar token", "polar_oat_ polar_pat_ polar_whs_", "[A-Za-z0-9_]{30,64}"],
  ["paddle key", "pdl_live_apikey_ pdl_sdbx_apikey_", "\\w{40,100}"],
  ["coinbase key", "cb_ cbp_", "[A-Za-z0-9]{32,64}", near(/coinbase/i)],
  // Messaging
  ["slack token", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxc- xoxd- xoxe-", "[A-Za-z0-9%/+=-]{12,400}"],
  ["slack token", "xoxe.xoxb- xoxe.xoxp-", "\\d-[A-Za-z0-9]{60,200}"],
  ["slack app token", "xapp-", "\\d-[A-Z0-9]{8,16}-\\d{8,16}-[0-9a-f]{32,80}"],
  ["slack webhook", "hooks.slack.com/", "(?:services|workflows|triggers)/[A-Za-z0-9+/]{20,80}"],
  ["discord webhook", "discord.com/api/webhooks/ discordapp.com/api/webhooks/", "\\d{17,20}/[\\w-]{50,90}"],
  ["discord token", "", "[MNO][A-Za-z0-9]{22,27}\\.[\\w-]{6}\\.[\\w-]{27,40}"],
  [
    "teams webhook",
    ".webhook.office.com/webhookb2/",
    `${UUID}@${UUID}/IncomingWebhook/[0-9a-zA-Z]{32}/[\\w/-]{36,100}`,
    before(/[a-z0-9-]{1,63}$/),
  ],
  ["telegram token", ":AA", "[\\w-]{32,33}", before(/\d{8,12}$/)],
  ["twilio key", "SK", "[0-9a-f]{32}"],
  ["sendgrid key", "SG.", "[\\w-]{16,24}\\.[\\w-]{36,50}"],
  ["mailgun key", "key-", "[0-9a-f]{32}"],
  ["mailgun key", "", "[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}"],
  ["mailchimp key", "", "[0-9a-f]{32}-us\\d{1,2}"],
  ["brevo key", "xkeysib- xsmtpsib-", "[0-9a-f]{64}-[A-Za-z0-9]{16}"],
  ["resend key", "re_", "[A-Za-z0-9]{8,10}_[A-Za-z0-9]{20,30}"],
  ["mandrill key", "md-", "[\\w-]{22}", near(/mandrill|mailchimp/i)],
  ["zapier webhook", "hooks.zapier.com/hooks/catch/", "\\d+/\\w{5,12}"],
  [
    "google chat webhook",
    "chat.googleapis.com/v1/spaces/",
    "[\\w-]{8,20}/messages\\?key=[\\w-]{30,50}&token=[\\w%-]{30,80}",
  ],
  [
    "feishu webhook",
    "open.feishu.cn/open-apis/bot/v2/hook/ open.larksuite.com/open-apis/bot/v2/hook/",
    "[0-9a-f-]{30,40}",
  ],
  ["beamer token", "b_", "[\\w=-]{44}", near(/beamer/i)],
  // Monitoring
  ["grafana token", "glsa_", "[A-Za-z0-9]{32}_[0-9a-fA-F]{8}"],
  ["grafana token", "glc_", "[A-Za-z0-9+/=]{32,400}"],
  ["grafana key", "eyJrIjoi", "[A-Za-z0-9]{60,400}={0,3}"],
  ["datadog key", "ddpat_ ddapp_", "[A-Za-z0-9_]{30,80}"],
  ["new relic key", "NRAK- NRAA- NRII- NRRA-", "[A-Za-z0-9-]{24,42}"],
  ["new relic key", "NRJS- NRBR-", "[0-9a-f]{19}"],
  ["dynatrace token", "dt0c01. dt0s01. dt0s02. dt0s16.", "[A-Za-z0-9]{8,24}\\.[A-Za-z0-9]{64}"],
  ["sentry token", "sntryu_ sntrya_", "[0-9a-f]{64}"],
  ["sentry token", "sntrys_", "[A-Za-z0-9+/=]{40,400}_[A-Za-z0-9+/]{40,48}"],
  ["honeycomb key", "hcaik_ hcamk_ hcbik_ hclik_ hcxik_", "[a-z0-9]{40,80}"],
  ["logfire token", "pylf_v1_us_ pylf_v1_eu_", "[A-Za-z0-9]{40,60}"],
  ["pagerduty key", "pd_ pdus+_", "[\\w+-]{18,40}", near(/pagerduty|pager_duty/i)],
  ["splunk token", "Splunk ", UUID],
  ["launchdarkly key", "sdk- api- mob-", UUID],
  ["clickup token", "pk_", "\\d{6,9}_[A-Z0-9]{32}"],
  ["readme key", "rdme_", "[a-z0-9]{60,80}"],
  // Other products
  ["airtable token", "pat", "[A-Za-z0-9]{14}\\.[0-9a-f]{64}"],
  ["airtable key", "key", "[A-Za-z0-9]{14}", near(/airtable/i)],
  ["notion token", "ntn_", "\\d{11}[A-Za-z0-9]{35}"],
  ["notion token", "secret_", "[A-Za-z0-9]{43}"],
  ["linear key", "lin_api_ lin_oauth_", "[A-Za-z0-9]{40,64}"],
  ["figma token", "figd_ figo_ figr_", "[\\w-]{36,60}"],
  ["asana token", "1/ 2/", "\\d{12,20}(?:/\\d{12,20})?:[0-9a-f]{32}"],
  ["hubspot token", "pat-na1- pat-na2- pat-eu1- pat-ap1-", UUID],
  ["typeform token", "tfp_", "[\\w.=-]{40,64}"],
  ["contentful token", "CFPAT-", "[\\w-]{43}"],
  ["mapbox token", "sk.ey", "[A-Za-z0-9_-]{50,100}\\.[\\w-]{20,30}"],
  ["maxmind key", "", "[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk"],
  ["planetscale secret", "pscale_tkn_ pscale_oauth_ pscale_pw_", "[\\w.=-]{32,64}"],
  ["supabase key", "sbp_ sb_secret_", "[\\w-]{30,60}"],
  ["neon key", "napi_ npg_", "[A-Za-z0-9]{12,80}"],
  ["clickhouse key", "4b1d", "[A-Za-z0-9]{38}"],
  ["postman key", "PMAK-", "[0-9a-fA-F]{24}-[0-9a-fA-F]{34}"],
  ["infracost key", "ico-", "[A-Za-z0-9]{32}"],
  ["frame.io token", "fio-u-", "[\\w=-]{60,68}"],
  ["dropbox token", "sl.u. sl.", "[\\w=-]{100,1500}"],
  ["facebook token", "EAA", "[A-Za-z0-9]{90,400}"],
  ["instagram token", "IGQV IGAA", "[\\w-]{80,300}"],
  ["adobe secret", "p8e- p8-", "[\\w-]{32}"],
  ["42 secret", "s-s4t2ud- s-s4t2af-", "[0-9a-f]{64}"],
  ["settlemint token", "sm_aat_ sm_pat_ sm_sat_", "[A-Za-z0-9]{16}"],
  ["apify token", "apify_api_", "[A-Za-z0-9]{30,45}"],
  ["browserless key", "bb_live_ bb_test_", "[\\w-]{20,50}"],
  ["twitter bearer", "AAAAAAAAAAAAAAAAAAAAA", "[\\w%=]{70,120}"],
  ["ghost key", "", "[0-9a-f]{24}:[0-9a-f]{64}"],
  ["trigger key", "tr_dev_ tr_prod_ tr_stg_ tr_pat_", "[A-Za-z0-9]{20,50}"],
  ["wakatime key", "waka_", UUID],
  // Bodies of private keys without their first line, found by fixed parts of their encoding
  ["private key", "b3BlbnNzaC1rZXktdjEA", "[A-Za-z0-9+/=\\s]{60,8000}"],
  [
    "private key",
    "MIIEowIBAA MIIEpAIBAA MIIEogIBAA MIIJKQIBAA MIIJKAIBAA MIICXAIBAA MIICXQIBAA",
    "[A-Za-z0-9+/=\\s]{100,8000}",
  ],
  [
    "private key",
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC MIIEvgIBADANBgkqhkiG9w0BAQEFAASC MIIEvAIBADANBgkqhkiG9w0BAQEFAASC MIIJQgIBADANBgkqhkiG9w0BAQEFAASC MIIJQwIBADANBgkqhkiG9w0BAQEFAASC",
    "[A-Za-z0-9+/=\\s]{100,8000}",
  ],
  ["private key", "MHcCAQEEI MHQCAQEEI MIGHAgEAMBMGByqGSM49 MIGkAgEBBD MC4CAQAwBQYDK2Vw", "[A-Za-z0-9+/=\\s]{30,1000}"],
];

/** Names of services, and an expression for the keys of each. */
const NAMED: readonly (readonly [services: string, body: string])[] = [
  [
    "adafruit adobe algolia asana bitbucket bittrex codecov discord droneci fastly flickr linkedin nytimes",
    "[\\w-]{32}",
  ],
  ["cloudflare datadog gitter launchdarkly meraki newrelic zendesk amplitude segment rollbar bugsnag", "[\\w-]{32,45}"],
  ["cohere mistral together replicate deepgram assemblyai stability voyage ai21 runpod", "[A-Za-z0-9-]{32,64}"],
  ["heroku hubspot kucoin messagebird sendbird snyk squarespace postmark mapquest launchdarkly", UUID],
  ["coinbase confluent freshbooks intercom jfrog artifactory kraken sentry sumologic okta auth0", "[\\w+/=-]{40,90}"],
  ["etsy finicity finnhub kucoin looker mattermost plaid travis twitch contentful airtable", "[A-Za-z0-9=_-]{17,45}"],
  ["twitter rapidapi netlify alibaba twilio mixpanel pusher ably pubnub vonage nexmo", "[A-Za-z0-9_-]{16,52}"],
];

/** Services whose keys have no prefix, with expressions for the keys. The text must name the service beside a key. */
export const SERVICES: ReadonlyMap<string, RegExp> = new Map(
  NAMED.flatMap(([services, body]) => services.split(" ").map((name) => [name, new RegExp(`^(?:${body})$`)] as const)),
);

/** The forms in the order of the table; if several match, the longest match counts. */
export const FORMS: readonly Form[] = ROWS.map(([kind, starts, body, more]) => ({
  kind,
  starts: starts === "" ? [] : starts.split(/ (?=\S)/),
  body: new RegExp(`${body}(?![A-Za-z0-9])`, "y"),
  ...more,
}));
