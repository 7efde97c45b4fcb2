/** Reading and fetching the pictures of sources. */

export { inspectSource, readContent } from '../pictures/inspect-source.ts';
export { fetchedSources, fetchPicture } from '../sources/fetch-locally.ts';
export { fetchGivenTexture } from '../sources/given/given-texture.ts';
