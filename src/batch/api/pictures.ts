/** Reading and fetching the pictures of sources. */

export { lookAt, readContent } from '../pictures/read-picture.ts';
export { fetchedSources, fetchPicture } from '../sources/fetch-locally.ts';
export { fetchGivenTexture } from '../sources/given/given-texture.ts';
