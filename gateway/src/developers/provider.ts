/** The OpenID provider through which members sign in. */
export interface Provider {
  issuer: string;
}
