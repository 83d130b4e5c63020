const TEMPORARY =
  /^(?:\/private)?(?:\/var)?\/tmp\/|^\/var\/folders\/|^\/dev\/shm\/|[\\/](?:AppData[\\/]Local[\\/])?Temp[\\/]|^\$(?:\{?(?:TMPDIR|TMP|TEMP|RUNNER_TEMP)\b|env:TEMP\b)/i;

/** True if a path lies in a folder for temporary files. */
export function isTemporary(path: string): boolean {
  return TEMPORARY.test(path);
}
