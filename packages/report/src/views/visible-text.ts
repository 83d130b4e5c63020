/** The colors of a terminal. */
// eslint-disable-next-line no-control-regex -- they begin with a control character
const COLORS = /\u001b\[[\d;]*m/g;
/** Characters that reorder, hide or erase text. Lines and tabs stay. */
const INVISIBLE =
  // eslint-disable-next-line no-control-regex -- these are the ones to show
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** Returns a foreign text of several lines without colors, with escapes in the place of invisible characters. */
export function visibleText(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replace(COLORS, "")
    .replace(INVISIBLE, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
