// In the clone, `#page-assets` is this file; tsup.config.ts replaces it in what is published.
import { buildPageAssets } from "./page-assets.ts";

export const { script, style, scriptHash, styleHash } = buildPageAssets();
