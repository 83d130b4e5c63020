/** Shortens a random id to its first eight characters. */
export const shortId = (id: string): string => (/^[0-9a-f-]{32,}$/.test(id) ? id.slice(0, 8) : id);
