/** The page's own script and style, made when the package is built. */
declare module "phasekit:page-assets" {
  export const script: string;
  export const style: string;
  /** SHA-256 in base64, for the content security policy. */
  export const scriptHash: string;
  export const styleHash: string;
}
