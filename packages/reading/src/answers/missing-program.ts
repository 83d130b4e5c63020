/** Ways to say that a program is not installed. The first group is its name. */
export const MISSING_PROGRAM: readonly RegExp[] = [
  /\bcommand not found: ([\w./+-]{1,80})/,
  /(?:^|\s|: )([\w./+-]{1,80}): (?:command )?not found\b/m,
  /\b[Cc]ommand "([^"\n]{1,80})" not found\b/,
  /^'?([\w./+-]{1,80})'? is not recognized as/m,
  /\bspawn ([\w./+-]{1,80}) ENOENT\b/,
  /\b(JAVA_HOME|ANDROID_HOME|GOROOT)\b[^\n]{0,40}\bnot (?:set|defined)/,
  /\bUnable to locate a (Java) Runtime\b/,
  /\bcould not determine executable to run\b/,
];
