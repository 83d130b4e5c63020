/** Shortens the random parts of an id to eight characters: the id of a sub-run is that of its run, a slash, its own. */
export const shortId = (id: string): string =>
  id
    .split("/")
    .map((part, index) => (RANDOM.test(part) || (index > 0 && RANDOM_PART.test(part)) ? part.slice(0, 8) : part))
    .join("/");

const RANDOM = /^[0-9a-f-]{32,}$/;
const RANDOM_PART = /^[0-9a-f]{9,}$/;
