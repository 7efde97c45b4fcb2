/**
 * The service's root as a user may write it: with or without a trailing slash, `/v2` or a path prefix. Returns
 * `baseUrl` and its parts `origin` and `path`, none of which ends with a slash or `/v2`. Any @ is refused, and what has one
 * is not repeated: a password with a / in it is a host and a path to a parser of URLs.
 * @throws TypeError with a message for the user
 */
export function parseBaseUrl(text: string): { baseUrl: string; origin: string; path: string } {
  if (text.includes('@')) throw new TypeError('the URL must not contain a user name or password');
  if (!URL.canParse(text))
    throw new TypeError(`"${text}" is not a URL; use a form like https://api.example.org`);
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol)) throw new TypeError(`"${text}" must start with http:// or https://`);
  if (url.search || url.hash) throw new TypeError('the URL must not contain a query or a fragment');
  const path = url.pathname.replace(/\/+$/, '').replace(/\/v2$/, '');
  return { baseUrl: url.origin + path, origin: url.origin, path };
}
