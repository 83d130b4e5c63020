import { unsafeIdentifier } from "../errors.ts";

const IDENTIFIER = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** True if an identifier is safe in a path: letters, digits, dots, hyphens, underscores; no dot at either end. */
export function isSafeIdentifier(identifier: string): boolean {
  return IDENTIFIER.test(identifier) && !identifier.includes("..") && !identifier.endsWith(".");
}

/**
 * Returns the path of an item's artifact. The identifier is inserted once and never read as a template.
 *
 * @throws UNSAFE_IDENTIFIER
 */
export function artifactPathFor(template: string, identifier: string): string {
  if (!isSafeIdentifier(identifier)) throw unsafeIdentifier(identifier);
  return template.split("{identifier}").join(identifier);
}
