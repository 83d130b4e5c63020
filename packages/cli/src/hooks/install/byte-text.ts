/** Text in which each character is one byte of a file. Bytes that are not UTF-8 survive an edit elsewhere. */
export type ByteText = string;

/** Returns the bytes of text. */
export function textToBytes(text: string): ByteText {
  return Buffer.from(text, "utf8").toString("latin1");
}

/** Returns the text of bytes, for reading: bytes that are not UTF-8 become U+FFFD. */
export function bytesToText(bytes: ByteText): string {
  return Buffer.from(bytes, "latin1").toString("utf8");
}
