import { packageTests } from "@phasekit/tooling/vitest";
import { ASSETS, buildPageAssets } from "./page-assets.ts";

export default packageTests({
  plugins: [
    {
      name: "page-assets",
      resolveId: (id) => (id === ASSETS ? `\0${id}` : undefined),
      load: (id) => (id === `\0${ASSETS}` ? buildPageAssets() : undefined),
    },
  ],
});
