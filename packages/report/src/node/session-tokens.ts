import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** Grants access to pages that exchanged a code, and to programs with the token of the host. */
export interface SessionTokens {
  /** Creates a code for a url. It can be exchanged once. */
  readonly createCode: () => string;
  /** Returns a token for a code; `undefined` if the code is unknown or used. */
  readonly exchange: (code: string) => string | undefined;
  readonly has: (token: string | undefined) => boolean;
}

const MAX_CODES = 16;
const MAX_TOKENS = 64;

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
const random = (): string => randomBytes(24).toString("base64url");

/** Stores codes and tokens as hashes; keeps only the newest. */
export function createSessionTokens(first: string | undefined): SessionTokens {
  const codes: Buffer[] = [];
  const tokens: Buffer[] = [];
  const fixed = first === undefined ? undefined : digest(first);
  const keep = (list: Buffer[], text: string, max: number): string => {
    list.push(digest(text));
    if (list.length > max) list.shift();
    return text;
  };
  const placeOf = (list: readonly Buffer[], text: string): number => {
    const wanted = digest(text);
    return list.findIndex((known) => timingSafeEqual(known, wanted));
  };
  return {
    createCode: () => keep(codes, random(), MAX_CODES),
    exchange: (code) => {
      const place = placeOf(codes, code);
      if (place === -1) return undefined;
      codes.splice(place, 1);
      return keep(tokens, random(), MAX_TOKENS);
    },
    has: (token) =>
      token !== undefined &&
      ((fixed !== undefined && timingSafeEqual(fixed, digest(token))) || placeOf(tokens, token) !== -1),
  };
}
