import type { HttpRequest } from './route.ts';

/**
 * What Java's own HTTP client, and so authlib-injector, sends by default: it lists web pages first, although it wants
 * none.
 */
const JAVA_DEFAULT = 'text/html, image/gif, image/jpeg';

/** Whether a request comes from a person's browser and not from a program. */
export function wantsPage({ accept }: HttpRequest['headers']): boolean {
  if (typeof accept !== 'string' || accept.startsWith(JAVA_DEFAULT)) return false;
  return accept.split(',').some((type) => /^\s*text\/html\s*(?:;(?!\s*q=0(?:\.0*)?\s*$)|$)/i.test(type));
}

/**
 * Programs that fetch a page to show what a link unfolds to, by the names that they give themselves. Most accept
 * anything, as programs that want data do. Others follow the same rules under the name of a large one.
 */
const LINK_BOTS =
  /\b(?:Discordbot|Slackbot|Slack-ImgProxy|Twitterbot|facebookexternalhit|Facebot|WhatsApp|TelegramBot|LinkedInBot|Bluesky Cardyb|Mastodon|redditbot|Pinterestbot|vkShare|Viber|SkypeUriPreview|Applebot|Iframely|Embedly)\b/i;

/** Whether a program wants to know what a link unfolds to. */
export function isLinkBot({ 'user-agent': name }: HttpRequest['headers']): boolean {
  return typeof name === 'string' && LINK_BOTS.test(name);
}
