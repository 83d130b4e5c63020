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
  readonly random: boolean;
}

const RANDOM = "random";
const WORD = "[A-Za-z0-9]";
const URL = "[A-Za-z0-9_-]";
const HEX = "[0-9a-f]";

/** Name, starts, body; then whether what follows the start looks random. */
type Row = readonly [name: string, starts: string, body: string, random?: typeof RANDOM];

const ROWS: readonly Row[] = [
  // Behind a hyphen it would be tried again and again on the same text.
  ["jwt", "eyJ", `(?<![_-]eyJ)${URL}{8,4000}\\.${URL}{4,8000}(?:\\.${URL}{0,2000})?`],
  ["password-hash", "$1$ $5$ $6$ $y$ $2a$ $2b$ $2x$ $2y$ $argon2i$ $argon2id$", "[./A-Za-z0-9$=,]{20,200}"],
  // Code hosts, registries, builds.
  ["github-token", "ghp_ gho_ ghu_ ghs_ ghr_", `${WORD}{16,255}`],
  ["github-token", "github_pat_", "[A-Za-z0-9_]{16,255}"],
  [
    "gitlab-token",
    "glpat- glptt- gldt- glrt- glrtr- glcbt- glsoat- glft- glimt- glagent- gloas- glffct- glwt-",
    "[A-Za-z0-9_.-]{16,255}",
  ],
  ["atlassian-token", "ATATT3xFfGF0 ATCTT3xFfGN0", "[A-Za-z0-9_=-]{16,400}"],
  ["bitbucket-password", "ATBB", `${WORD}{20,60}`, RANDOM],
  ["npm-token", "npm_", `${WORD}{20,60}`],
  ["pypi-token", "pypi-", `${URL}{16,500}`, RANDOM],
  ["rubygems-key", "rubygems_", `${HEX}{16,64}`],
  ["crates-token", "cio", `${WORD}{32}(?!${WORD})`, RANDOM],
  ["nuget-key", "oy2", "[a-z0-9]{43}(?![a-z0-9])"],
  ["docker-token", "dckr_pat_ dckr_oat_", `${URL}{16,60}`],
  ["artifactory-key", "AKCp", `${WORD}{30,100}`, RANDOM],
  ["circleci-token", "CCIPAT_ CCIPRJ_", "[A-Za-z0-9_]{16,100}"],
  ["buildkite-token", "bkua_ bkct_ bkaj_", `${HEX}{16,64}`],
  ["pulumi-token", "pul-", `${HEX}{20,64}`],
  ["clojars-token", "CLOJARS_", `${HEX}{20,64}`],
  ["sourcegraph-token", "sgp_", "[A-Za-z0-9_]{20,80}"],
  ["sonar-token", "sqp_ squ_ sqa_", `${HEX}{20,60}`],
  // Clouds.
  ["aws-key-id", "AKIA ASIA AROA AIDA ABIA ACCA", "[0-9A-Z]{16}(?![0-9A-Z])"],
  ["aws-bedrock-key", "ABSK", "[A-Za-z0-9+/]{40,300}={0,2}"],
  ["google-key", "AIza", `${URL}{35}`],
  ["google-token", "ya29.", `${URL}{20,500}`],
  ["google-refresh-token", "1//", `0${URL}{30,200}`],
  ["google-client-secret", "GOCSPX-", `${URL}{20,60}`],
  ["digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", `${WORD}{20,80}`],
  ["heroku-key", "HRKU-", `${URL}{20,80}`],
  ["cloudflare-key", "v1.0-", `${HEX}{24}-${HEX}{40,160}`],
  ["fly-token", "fm1r_ fm1a_ fm2_ fo1_", "[A-Za-z0-9+/=_-]{30,1000}"],
  ["netlify-token", "nfp_ nfc_ nfo_", `${WORD}{20,60}`],
  ["vercel-token", "vercel_blob_rw_", "[A-Za-z0-9_]{16,80}"],
  ["hubspot-token", "pat-na1- pat-na2- pat-eu1-", "[0-9a-f-]{20,40}"],
  ["vercel-token", "vcp_ vci_ vca_ vcr_ vck_", `${WORD}{20,80}`],
  ["supabase-key", "sbp_ sb_secret_", `${URL}{20,80}`, RANDOM],
  ["planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_", "[A-Za-z0-9_=.-]{20,80}"],
  ["databricks-token", "dapi", `${HEX}{32}(?:-\\d)?`],
  ["tailscale-key", "tskey-", `[a-z]{2,12}-${URL}{16,100}`],
  // Tokens of a service name its config first.
  ["doppler-token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", `(?:[a-z0-9_-]{1,40}\\.)?${URL}{20,80}`],
  ["vault-token", "hvs. hvb. hvr.", `${URL}{16,500}`],
  ["1password-token", "ops_", "eyJ[A-Za-z0-9_=-]{20,2000}"],
  ["infisical-token", "st.", `${HEX}{24}\\.${HEX}{32}\\.${HEX}{32}`],
  ["alibaba-key-id", "LTAI", `${WORD}{16,24}(?!${WORD})`, RANDOM],
  // Models.
  ["api-key", "sk- sk_ rk- rk_ pk- pk_", `${URL}{16,250}`, RANDOM],
  ["huggingface-token", "hf_ api_org_", `${WORD}{20,40}(?!\\w)`],
  ["provider-key", "gsk_ r8_ fw_", `${WORD}{20,100}`, RANDOM],
  ["provider-key", "xai- pplx- nvapi- tvly- csk-", `${URL}{20,250}`, RANDOM],
  ["langsmith-key", "lsv2_pt_ lsv2_sk_", "[A-Za-z0-9_]{20,80}"],
  ["pinecone-key", "pcsk_", "[A-Za-z0-9_]{20,100}"],
  // Messages, mail, payment, shops.
  ["slack-token", "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xoxc- xoxd- xapp-", "[A-Za-z0-9.%-]{11,250}"],
  // Base64 of a number.
  ["discord-token", "MD MT Mj Mz ND NT Nj Nz OD OT", `${URL}{22,26}\\.${URL}{6}\\.${URL}{27,40}`, RANDOM],
  ["twilio-key", "SK", `${HEX}{32}(?!${WORD})`],
  ["sendgrid-key", "SG.", `${URL}{16,30}(?:\\.${URL}{16,60})?`],
  ["mailgun-key", "key-", `${HEX}{32}(?!${WORD})`],
  ["brevo-key", "xkeysib- xsmtpsib-", `${URL}{20,120}`],
  ["resend-key", "re_", `${WORD}{6,12}_${WORD}{16,40}`, RANDOM],
  ["webhook-secret", "whsec_", "[A-Za-z0-9+/=_-]{16,120}"],
  ["shopify-token", "shpat_ shpss_ shpca_ shppa_", "[0-9a-fA-F]{20,64}"],
  ["square-token", "EAAA", `${URL}{40,120}`, RANDOM],
  ["square-secret", "sq0csp- sq0atp- sq0idp-", `${URL}{20,60}`],
  ["facebook-token", "EAAB EAAC EAAD EAAG EAAM", `${WORD}{40,300}`, RANDOM],
  ["plaid-token", "access-production- access-sandbox- access-development-", "[0-9a-f-]{20,40}"],
  ["flutterwave-key", "FLWSECK- FLWSECK_TEST-", `${WORD}{12,60}`],
  ["paypal-token", "access_token$production$", `[a-z0-9]{10,20}\\$${HEX}{20,40}`],
  ["easypost-key", "EZAK EZTK", `${WORD}{40,60}`, RANDOM],
  ["shippo-token", "shippo_live_ shippo_test_", `${HEX}{20,60}`],
  ["duffel-token", "duffel_live_ duffel_test_", `${URL}{20,60}`],
  // Work, watching, design.
  ["linear-key", "lin_api_ lin_oauth_ lin_wh_", `${WORD}{16,80}`],
  ["notion-token", "ntn_ secret_", `${WORD}{30,60}`, RANDOM],
  ["airtable-token", "pat", `${WORD}{14}\\.${HEX}{64}`],
  ["figma-token", "figd_ figdr_ figu_", `${URL}{20,250}`],
  ["sentry-token", "sntrys_ sntryu_ sntrya_", "[A-Za-z0-9_+/=-]{20,600}"],
  ["newrelic-key", "NRAK- NRII- NRJS-", `${URL}{16,60}`],
  ["grafana-token", "glsa_ glc_", "[A-Za-z0-9_+/=]{20,400}"],
  ["dynatrace-token", "dt0c01. dt0s01. dt0s16.", "[A-Z0-9]{8,24}\\.[A-Z0-9]{20,64}"],
  ["postman-key", "PMAK-", "[0-9a-f-]{20,80}"],
  ["dropbox-token", "sl.", `${URL}{60,1500}`],
  ["contentful-token", "CFPAT-", `${URL}{20,60}`],
  ["typeform-token", "tfp_", `${URL}{20,80}`, RANDOM],
  ["readme-key", "rdme_", "[a-z0-9]{20,80}"],
  ["prefect-key", "pnu_ pnb_", "[A-Za-z0-9]{20,60}"],
  ["launchdarkly-key", "api- sdk- mob-", `${HEX}{8}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}`],
  ["age-key", "AGE-SECRET-KEY-", "1[0-9A-Z]{20,80}"],
];

export const tokenKinds: readonly TokenKind[] = ROWS.map(([name, starts, body, random]) => ({
  name,
  starts: starts.split(" "),
  body,
  random: random === RANDOM,
}));
