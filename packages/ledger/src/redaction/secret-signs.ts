/**
 * Signs of secrets: what every secret of a kind shows, and hardly any other text does. A text without the sign of a
 * kind holds no secret of that kind, so that most texts cost one search for signs and nothing else.
 *
 * Each begins with a rare character and looks back from there for the rest: the search then skips over all other
 * characters, which is several times as fast as the patterns themselves, and bounded for every text.
 */
const sources = {
  /** Beginnings of tokens with at least ten characters behind them, and those that have no such mark. */
  token: String.raw`(?:_(?<=[srp]k_|gh[pousr]_|github_pat_|hf_|r8_|npm_|dop_v1_|fw_|lin_api_|secret_|shpat_|figd_)|-(?<=[srp]k-|gl(?:pat|ptt|dt|rt|cbt|soat)-|xox[abeoprs]-|xapp-|xai-|pplx-|pypi-|nvapi-|tvly-|PMAK-|key-|GOCSPX-))[A-Za-z0-9_.-]{10}|A(?:[KS]IA|ROA|IDA|Iza)|SG\.|J(?<=eyJ)|9(?<=ya29)\.|pi(?<=dapi)`,
  /** The ends of key, token, cookie, password, secret and credential in front of a colon or an equals sign. */
  assignment: String.raw`(?:[kK](?:[eE][yYnN]|[iI][eE])|[wW](?:[oO][rR])?[dD]|[cC][rR][eE](?:[tT]|[dD][eE][nN][tT][iI][aA][lL]))["'\\]{0,3}\s{0,4}[:=]`,
  /** The ends of token, bearer and basic in front of what may be credentials. */
  authorization: String.raw`(?:[kK][eE][nN]|[bB](?:[eE][aA][rR][eE][rR]|[aA][sS][iI][cC]))\s{1,4}[A-Za-z0-9._~+/=-]{12}`,
  address: String.raw`@(?<=:\/\/[^\s@/"'<>]{0,501}@)`,
  privateKey: "-----BEGIN",
};

/** The kinds of signs, each as a search of its own. */
export const signs = {
  token: new RegExp(sources.token),
  assignment: new RegExp(sources.assignment),
  authorization: new RegExp(sources.authorization),
  address: new RegExp(sources.address),
  privateKey: new RegExp(sources.privateKey),
} as const satisfies Readonly<Record<keyof typeof sources, RegExp>>;

/** All of them at once. */
export const anySign = new RegExp(Object.values(sources).join("|"));
