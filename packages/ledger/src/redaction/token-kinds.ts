/**
 * Tokens with a known start, one row per issuer, as the issuers document them. The shortest length is
 * that of a token that was cut, not of a whole one.
 */
export interface TokenKind {
  readonly name: string;
  /** Texts of which it begins with one. */
  readonly starts: readonly string[];
  /** A pattern of what follows. Bounded: it gives up within a fixed number of characters. */
  readonly body: string;
  /** Set where names begin alike: what follows has to look like chance, not like words. */
  readonly random?: boolean;
}

const WORD = "[A-Za-z0-9]";
const URL = "[A-Za-z0-9_-]";
const HEX = "[0-9a-f]";

export const tokenKinds: readonly TokenKind[] = [
  {
    name: "jwt",
    starts: ["eyJ"],
    // Behind a hyphen it would be tried again and again on the same text.
    body: `(?<![_-]eyJ)${URL}{8,4000}\\.${URL}{4,8000}(?:\\.${URL}{0,2000})?`,
  },
  {
    name: "password-hash",
    starts: "$1$ $5$ $6$ $y$ $2a$ $2b$ $2x$ $2y$ $argon2i$ $argon2id$".split(" "),
    body: "[./A-Za-z0-9$=,]{20,200}",
  },
  // Code hosts, registries, builds.
  { name: "github-token", starts: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], body: `${WORD}{16,255}` },
  { name: "github-token", starts: ["github_pat_"], body: "[A-Za-z0-9_]{16,255}" },
  {
    name: "gitlab-token",
    starts: "glpat- glptt- gldt- glrt- glrtr- glcbt- glsoat- glft- glimt- glagent- gloas- glffct- glwt-".split(" "),
    body: "[A-Za-z0-9_.-]{16,255}",
  },
  { name: "atlassian-token", starts: ["ATATT3xFfGF0", "ATCTT3xFfGN0"], body: "[A-Za-z0-9_=-]{16,400}" },
  { name: "bitbucket-password", starts: ["ATBB"], body: `${WORD}{20,60}`, random: true },
  { name: "npm-token", starts: ["npm_"], body: `${WORD}{20,60}` },
  { name: "pypi-token", starts: ["pypi-"], body: `${URL}{16,500}`, random: true },
  { name: "rubygems-key", starts: ["rubygems_"], body: `${HEX}{16,64}` },
  { name: "crates-token", starts: ["cio"], body: `${WORD}{32}(?!${WORD})`, random: true },
  { name: "nuget-key", starts: ["oy2"], body: "[a-z0-9]{43}(?![a-z0-9])" },
  { name: "docker-token", starts: ["dckr_pat_", "dckr_oat_"], body: `${URL}{16,60}` },
  { name: "artifactory-key", starts: ["AKCp"], body: `${WORD}{30,100}`, random: true },
  { name: "circleci-token", starts: ["CCIPAT_", "CCIPRJ_"], body: "[A-Za-z0-9_]{16,100}" },
  { name: "buildkite-token", starts: ["bkua_", "bkct_", "bkaj_"], body: `${HEX}{16,64}` },
  { name: "pulumi-token", starts: ["pul-"], body: `${HEX}{20,64}` },
  { name: "clojars-token", starts: ["CLOJARS_"], body: `${HEX}{20,64}` },
  { name: "sourcegraph-token", starts: ["sgp_"], body: "[A-Za-z0-9_]{20,80}" },
  { name: "sonar-token", starts: ["sqp_", "squ_", "sqa_"], body: `${HEX}{20,60}` },
  // Clouds.
  { name: "aws-key-id", starts: ["AKIA", "ASIA", "AROA", "AIDA", "ABIA", "ACCA"], body: "[0-9A-Z]{16}(?![0-9A-Z])" },
  { name: "aws-bedrock-key", starts: ["ABSK"], body: "[A-Za-z0-9+/]{40,300}={0,2}" },
  { name: "google-key", starts: ["AIza"], body: `${URL}{35}` },
  { name: "google-token", starts: ["ya29."], body: `${URL}{20,500}` },
  { name: "google-refresh-token", starts: ["1//"], body: `0${URL}{30,200}` },
  { name: "google-client-secret", starts: ["GOCSPX-"], body: `${URL}{20,60}` },
  { name: "digitalocean-token", starts: ["dop_v1_", "doo_v1_", "dor_v1_"], body: `${WORD}{20,80}` },
  { name: "heroku-key", starts: ["HRKU-"], body: `${URL}{20,80}` },
  { name: "cloudflare-key", starts: ["v1.0-"], body: `${HEX}{24}-${HEX}{40,160}` },
  { name: "fly-token", starts: ["fm1r_", "fm1a_", "fm2_", "fo1_"], body: "[A-Za-z0-9+/=_-]{30,1000}" },
  { name: "netlify-token", starts: ["nfp_", "nfc_", "nfo_"], body: `${WORD}{20,60}` },
  { name: "vercel-token", starts: ["vercel_blob_rw_"], body: "[A-Za-z0-9_]{16,80}" },
  { name: "hubspot-token", starts: ["pat-na1-", "pat-na2-", "pat-eu1-"], body: "[0-9a-f-]{20,40}" },
  { name: "vercel-token", starts: ["vcp_", "vci_", "vca_", "vcr_", "vck_"], body: `${WORD}{20,80}` },
  { name: "supabase-key", starts: ["sbp_", "sb_secret_"], body: `${URL}{20,80}`, random: true },
  { name: "planetscale-token", starts: ["pscale_tkn_", "pscale_pw_", "pscale_oauth_"], body: "[A-Za-z0-9_=.-]{20,80}" },
  { name: "databricks-token", starts: ["dapi"], body: `${HEX}{32}(?:-\\d)?` },
  { name: "tailscale-key", starts: ["tskey-"], body: `[a-z]{2,12}-${URL}{16,100}` },
  {
    name: "doppler-token",
    starts: "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.".split(" "),
    // Tokens of a service name its config first.
    body: `(?:[a-z0-9_-]{1,40}\\.)?${URL}{20,80}`,
  },
  { name: "vault-token", starts: ["hvs.", "hvb.", "hvr."], body: `${URL}{16,500}` },
  { name: "1password-token", starts: ["ops_"], body: "eyJ[A-Za-z0-9_=-]{20,2000}" },
  { name: "infisical-token", starts: ["st."], body: `${HEX}{24}\\.${HEX}{32}\\.${HEX}{32}` },
  { name: "alibaba-key-id", starts: ["LTAI"], body: `${WORD}{16,24}(?!${WORD})`, random: true },
  // Models.
  { name: "api-key", starts: ["sk-", "sk_", "rk-", "rk_", "pk-", "pk_"], body: `${URL}{16,250}`, random: true },
  { name: "huggingface-token", starts: ["hf_", "api_org_"], body: `${WORD}{20,40}(?!\\w)` },
  { name: "provider-key", starts: ["gsk_", "r8_", "fw_"], body: `${WORD}{20,100}`, random: true },
  { name: "provider-key", starts: ["xai-", "pplx-", "nvapi-", "tvly-", "csk-"], body: `${URL}{20,250}`, random: true },
  { name: "langsmith-key", starts: ["lsv2_pt_", "lsv2_sk_"], body: "[A-Za-z0-9_]{20,80}" },
  { name: "pinecone-key", starts: ["pcsk_"], body: "[A-Za-z0-9_]{20,100}" },
  // Messages, mail, payment, shops.
  {
    name: "slack-token",
    starts: "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xoxc- xoxd- xapp-".split(" "),
    body: "[A-Za-z0-9.%-]{11,250}",
  },
  {
    name: "discord-token",
    // Base64 of a number.
    starts: "MD MT Mj Mz ND NT Nj Nz OD OT".split(" "),
    body: `${URL}{22,26}\\.${URL}{6}\\.${URL}{27,40}`,
    random: true,
  },
  { name: "twilio-key", starts: ["SK"], body: `${HEX}{32}(?!${WORD})` },
  { name: "sendgrid-key", starts: ["SG."], body: `${URL}{16,30}(?:\\.${URL}{16,60})?` },
  { name: "mailgun-key", starts: ["key-"], body: `${HEX}{32}(?!${WORD})` },
  { name: "brevo-key", starts: ["xkeysib-", "xsmtpsib-"], body: `${URL}{20,120}` },
  { name: "resend-key", starts: ["re_"], body: `${WORD}{6,12}_${WORD}{16,40}`, random: true },
  { name: "webhook-secret", starts: ["whsec_"], body: "[A-Za-z0-9+/=_-]{16,120}" },
  { name: "shopify-token", starts: ["shpat_", "shpss_", "shpca_", "shppa_"], body: "[0-9a-fA-F]{20,64}" },
  { name: "square-token", starts: ["EAAA"], body: `${URL}{40,120}`, random: true },
  { name: "square-secret", starts: ["sq0csp-", "sq0atp-", "sq0idp-"], body: `${URL}{20,60}` },
  { name: "facebook-token", starts: ["EAAB", "EAAC", "EAAD", "EAAG", "EAAM"], body: `${WORD}{40,300}`, random: true },
  {
    name: "plaid-token",
    starts: ["access-production-", "access-sandbox-", "access-development-"],
    body: "[0-9a-f-]{20,40}",
  },
  { name: "flutterwave-key", starts: ["FLWSECK-", "FLWSECK_TEST-"], body: `${WORD}{12,60}` },
  { name: "paypal-token", starts: ["access_token$production$"], body: `[a-z0-9]{10,20}\\$${HEX}{20,40}` },
  { name: "easypost-key", starts: ["EZAK", "EZTK"], body: `${WORD}{40,60}`, random: true },
  { name: "shippo-token", starts: ["shippo_live_", "shippo_test_"], body: `${HEX}{20,60}` },
  { name: "duffel-token", starts: ["duffel_live_", "duffel_test_"], body: `${URL}{20,60}` },
  // Work, watching, design.
  { name: "linear-key", starts: ["lin_api_", "lin_oauth_", "lin_wh_"], body: `${WORD}{16,80}` },
  { name: "notion-token", starts: ["ntn_", "secret_"], body: `${WORD}{30,60}`, random: true },
  { name: "airtable-token", starts: ["pat"], body: `${WORD}{14}\\.${HEX}{64}` },
  { name: "figma-token", starts: ["figd_", "figdr_", "figu_"], body: `${URL}{20,250}` },
  { name: "sentry-token", starts: ["sntrys_", "sntryu_", "sntrya_"], body: "[A-Za-z0-9_+/=-]{20,600}" },
  { name: "newrelic-key", starts: ["NRAK-", "NRII-", "NRJS-"], body: `${URL}{16,60}` },
  { name: "grafana-token", starts: ["glsa_", "glc_"], body: "[A-Za-z0-9_+/=]{20,400}" },
  { name: "dynatrace-token", starts: ["dt0c01.", "dt0s01.", "dt0s16."], body: "[A-Z0-9]{8,24}\\.[A-Z0-9]{20,64}" },
  { name: "postman-key", starts: ["PMAK-"], body: "[0-9a-f-]{20,80}" },
  { name: "dropbox-token", starts: ["sl."], body: `${URL}{60,1500}` },
  { name: "contentful-token", starts: ["CFPAT-"], body: `${URL}{20,60}` },
  { name: "typeform-token", starts: ["tfp_"], body: `${URL}{20,80}`, random: true },
  { name: "readme-key", starts: ["rdme_"], body: "[a-z0-9]{20,80}" },
  { name: "prefect-key", starts: ["pnu_", "pnb_"], body: "[A-Za-z0-9]{20,60}" },
  {
    name: "launchdarkly-key",
    starts: ["api-", "sdk-", "mob-"],
    body: `${HEX}{8}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}`,
  },
  { name: "age-key", starts: ["AGE-SECRET-KEY-"], body: "1[0-9A-Z]{20,80}" },
];
