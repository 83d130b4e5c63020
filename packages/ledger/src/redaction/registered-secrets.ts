import { BASE64 } from "./decode-text.ts";
import { createLiteralIndex, KEY_LENGTH } from "./literal-index.ts";

/** Up to this many texts, one search for each is the fastest way. */
const FEW = 60;

/** Takes registered secrets out of a text, in whatever form they are in it. */
export function createRegisteredSecrets(secrets: readonly string[]): (text: string) => string {
  // The longest first: a shorter one may be a part of it.
  const forms = secrets.flatMap(secretForms).sort((a, b) => b.length - a.length);
  const formsIn = forms.length <= FEW ? (text: string) => forms.filter((form) => text.includes(form)) : indexOf(forms);
  return (text) => {
    if (text.length < KEY_LENGTH || forms.length === 0) return text;
    let result = text;
    for (const form of formsIn(text)) result = result.replaceAll(form, "[redacted:registered]");
    return result;
  };
}

function indexOf(forms: readonly string[]): (text: string) => readonly string[] {
  // Secrets of one kind often begin alike; they seldom end so.
  const index = createLiteralIndex(forms, (form) => form.slice(-KEY_LENGTH));
  return (text) => {
    const keys = index(text);
    if (keys.length === 0) return [];
    const found = new Set(
      keys
        .filter(({ literal, at }) => text.startsWith(literal, at + KEY_LENGTH - literal.length))
        .map(({ literal }) => literal),
    );
    return [...found].sort((a, b) => b.length - a.length);
  };
}

/** Every form of a registered secret: plain, JSON-escaped or URL-encoded once or twice, hex and base64. */
function secretForms(secret: string): readonly string[] {
  const bytes = utf8(secret);
  const escaped = JSON.stringify(secret).slice(1, -1);
  const url = quietly(() => encodeURIComponent(secret));
  // Forms and strict encoders escape these as well.
  const strictUrl = url.replace(/[!'()*~]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const forms = [
    secret,
    ...[escaped, escaped.replaceAll("/", String.raw`\/`), asciiOnly(escaped)].flatMap((text) => [
      text,
      JSON.stringify(text).slice(1, -1),
    ]),
    ...[url, strictUrl].flatMap((text) => [
      text,
      text.replaceAll("%20", "+"),
      lowerEscapes(text),
      text.replaceAll("%", "%25"),
    ]),
    hex,
    hex.toUpperCase(),
    ...[bytes, utf8(escaped)].flatMap((form) => [0, 1, 2].flatMap((shift) => base64Inside(form, shift))),
  ];
  return [...new Set(forms)].filter((form) => form.length >= 6).sort((a, b) => b.length - a.length);
}

/** Escaped as encoders do that write ASCII alone. */
function asciiOnly(escaped: string): string {
  return escaped.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function lowerEscapes(url: string): string {
  return url.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
}

/**
 * The part of base64 text that depends on the secret alone when it begins at one of the three places inside a group:
 * what its neighbours change at both ends is left off.
 */
function base64Inside(bytes: readonly number[], shift: number): readonly string[] {
  const padded = [...Array.from({ length: shift }, () => 0), ...bytes];
  let text = "";
  for (let at = 0; at < padded.length; at += 3) {
    const group = ((padded[at] ?? 0) << 16) | ((padded[at + 1] ?? 0) << 8) | (padded[at + 2] ?? 0);
    for (const bits of [18, 12, 6, 0]) text += BASE64[(group >> bits) & 63] ?? "";
  }
  const start = shift === 0 ? 0 : shift === 1 ? 2 : 3;
  const whole = Math.floor((padded.length * 8) / 6);
  const inside = text.slice(start, whole);
  return [inside, inside.replaceAll("+", "-").replaceAll("/", "_")];
}

function utf8(text: string): readonly number[] {
  const encoded = quietly(() => encodeURIComponent(text));
  const bytes: number[] = [];
  for (let at = 0; at < encoded.length; at += 1) {
    if (encoded[at] === "%") {
      bytes.push(Number.parseInt(encoded.slice(at + 1, at + 3), 16));
      at += 2;
    } else bytes.push(encoded.charCodeAt(at));
  }
  return bytes;
}

/** A lone surrogate has no UTF-8 form; the secret is then matched as it is. */
function quietly(encode: () => string): string {
  try {
    return encode();
  } catch {
    return "";
  }
}
