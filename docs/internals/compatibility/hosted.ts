/**
 * What the hosted service has beyond its published contract, from the published source of its server (read in
 * 2026-11), and why ours differs. test/docs/compatibility.test.ts checks all of it against our own description.
 */

/** Endpoints of version 2 that the contract does not list. */
export const MORE_OF_V2 = [
  'GET /v2/images/{hash}',
  'GET /v2/me/apikeys',
  'GET /v2/me/credits',
  'GET /v2/me/legacyskins',
  'GET /v2/me/skins',
  'GET /v2/skins/latest',
  'GET /v2/skins/popular',
  'GET /v2/skins/random',
  'GET /v2/skins/{uuid}/texture',
  'GET /v2/skins/{uuid}/tags',
  'POST /v2/skins/{uuid}/tags',
  'GET /v2/skins/{uuid}/meta',
  'GET /v2/skins/{uuid}/similar',
  'GET /v2/skins/{uuid}/user',
  'POST /v2/skins/{uuid}/interactions/views',
  'POST /v2/skins/{uuid}/interactions/likes',
  'POST /v2/skins/{uuid}/report',
  'PATCH /v2/skins/{uuid}',
  'DELETE /v2/skins/{uuid}',
  'GET /v2/stats',
] as const;

/** Endpoints of version 1 and similar ones, without the account pages. */
export const ALL_OF_V1 = [
  'POST /generate/upload',
  'POST /generate/url',
  'POST /generate/user',
  'GET /generate/user/{uuid}',
  'GET /get/delay',
  'GET /get/id/{id}',
  'GET /get/uuid/{uuid}',
  'GET /get/forTexture/{value}',
  'GET /get/list',
  'GET /get/list/{page}',
  'GET /get/random',
  'GET /get/stats',
  'GET /validate/name/{name}',
  'GET /validate/user/{name}',
  'GET /validate/uuid/{uuid}',
  'GET /validate/currentUsername/{uuid}',
  'GET /render/head',
  'GET /render/skin',
  'GET /render/{id}/head',
  'GET /render/{id}/skin',
  'GET /render/texture/{id}',
  'GET /random-image',
  'GET /random-name',
] as const;

/** Why an endpoint of the hosted service is missing here. */
export const NO_ENDPOINT: Readonly<Record<string, string>> = {
  'GET /v2/me/credits': 'Credits were abolished.',
  'GET /v2/me/legacyskins': 'There are no skins from before version 2.',
  'GET /v2/skins/{uuid}/meta': "It belongs to the website's gallery.",
  'GET /v2/skins/{uuid}/user': 'Only the owner may know whose skin it is.',
  'GET /get/forTexture/{value}': 'No known client uses it.',
  'GET /random-image': 'It has nothing to do with skins.',
  'GET /random-name': 'It has nothing to do with skins.',
};

interface Difference {
  readonly hosted: string;
  readonly here: string;
  readonly why: string;
  /** The test that shows it: file and title. */
  readonly shown: readonly [file: string, title: string];
}

/** The pictures of a skin in version 1. */
const PICTURE_OF_SKIN: Difference = {
  hosted: 'Shows skins of every visibility; for a missing one, answers with a status only.',
  here: 'Shows public skins, and unlisted ones by their UUIDs or to their owner. Refusals have the format of version 1. `options` has no effect.',
  why: 'Numbers can be enumerated, and private skins are for their owners.',
  shown: [
    'test/service/skins/who-sees-what.test.ts',
    'each caller sees through each route what the table says',
  ],
};

/** The pictures of a URL in version 1. */
const PICTURE_OF_URL: Difference = {
  hosted: 'Shows what another service makes of the `url`, with the `options` of that service.',
  here: 'Draws textures of Minecraft and of this service; any other URL is `invalid_image_url`. `options` has no effect.',
  why: 'Nobody can make the service fetch anything from elsewhere for a picture.',
  shown: [
    'test/service/pictures/version-1.test.ts',
    'of any other host, or with an invalid URL, is refused without a request',
  ],
};

/** Of several endpoints. */
export const WIDER_DIFFERENCES: Readonly<Record<string, Difference>> = {
  'Version 1 with `?key=`': {
    hosted: 'A key in the address was possible in the past; the present source reads the header only.',
    here: 'Version 1 reads it if the header has no key, with a warning; version 2 does not. The log never has it.',
    why: 'Old clients keep working. But keys in addresses end up in the logs of proxies.',
    shown: [
      'test/server/http/endpoint.test.ts',
      'A key in the query is understood by version 1 with a warning but not by version 2, and is never logged',
    ],
  },
  'Requests of web pages without a key': {
    hosted: 'Pages of every site may send any request without a key.',
    here: 'Pages of other sites see no jobs, and make and report no skins: 403 `insufficient_grants`. They may with a key, or if the operator names their origin (`serve --allow-origin`).',
    why: 'Otherwise any page could use up the limits of its readers’ addresses, and read what they made.',
    shown: [
      'test/service/limits/store-growth.test.ts',
      'cannot generate without a key on any route, and can still read',
    ],
  },
};

/** By endpoint. */
export const DIFFERENCES: Readonly<Record<string, Difference>> = {
  'GET /v2/skins/{uuid}/tags': {
    hosted: 'Shows the tags for which enough users have voted, and suggests others.',
    here: 'Shows the tags of the owner; `suggested` is always false.',
    why: 'Tags are text that others read, so someone answers for each.',
    shown: [
      'test/service/skins/tags-and-likes.test.ts',
      'are set by the owner, sorted and each once, shown to all, and found',
    ],
  },
  'POST /v2/skins/{uuid}/interactions/likes': {
    hosted: "Needs a token of the captcha on the service's site.",
    here: 'Needs a key with the scope `skins`. DELETE takes a like back.',
    why: 'Each user counts once, and programs may like skins too.',
    shown: ['test/service/skins/tags-and-likes.test.ts', 'count each user once, and can be taken back'],
  },
  'POST /v2/skins/{uuid}/tags': {
    hosted: "Every user votes on tags, with a token of the captcha on the service's site.",
    here: 'The owner of a skin adds tags (`up`) and takes them away (`down`), up to 10; operators take them away.',
    why: 'Tags are text that others read, so someone answers for each.',
    shown: [
      'test/service/skins/tags-and-likes.test.ts',
      'are bounded, and only the owner sets them; an operator removes them, which is logged',
    ],
  },
  'POST /v2/generate': {
    hosted: "There is a delay between a caller's requests, and `concurrency_limit` if several come at once.",
    here: 'A request takes a slot in the queue. Without `timeout`, it also waits for its turn. Without a free slot: 429, `rate_limit` first.',
    why: 'Clients that send five skins at once lose none.',
    shown: [
      'test/service/jobs/skins-restorer.test.ts',
      'SkinsRestorer gets all eight skins that a user with the plan free requests at once, one after the other',
    ],
  },
  'POST /v2/queue': {
    hosted: 'Each caller with a known picture gets a record of its own, under the name sent.',
    here: 'So does a caller with a key. Callers without one share the oldest public record that one of them made; the answer contains the name sent, which is not stored. A record added by a caller without a key counts as a generation.',
    why: 'Nobody can fill the store and the gallery with copies of one picture.',
    shown: [
      'test/service/limits/store-growth.test.ts',
      'is one public record for all callers without a key, who read the names that they sent',
    ],
  },
  'GET /v2/queue': {
    hosted: 'Lists the jobs of the last three hours; a caller without a key gets 401.',
    here: 'Lists all jobs, in pages; callers without a key are distinguished by address.',
    why: 'Jobs do not disappear silently, and small servers need no keys.',
    shown: ['test/service/jobs/queue.test.ts', 'has every job of the caller, newest first, page by page'],
  },
  'GET /v2/queue/{jobId}': {
    hosted:
      'The ID has 24 hexadecimal digits; a failed job has no `skin`, although the contract requires one.',
    here: 'The ID is a UUID; a failed job has no `skin`.',
    why: 'The specification requires UUIDs; clients treat IDs as opaque.',
    shown: [
      'test/service/running/published-contract.test.ts',
      'a pending or failed job has no skin, where the contract always wants one',
    ],
  },
  'GET /v2/skins': {
    hosted: '`next.after` is the UUID of the last skin, also on the last page.',
    here: '`next.after` is an opaque text; the UUID of a skin also works. The last page has no `next`.',
    why: 'Clients that follow it reach the end, and no page changes when its last skin is deleted.',
    shown: [
      'test/service/skins/skin-picks.test.ts',
      'Lists say where the next page begins, and a UUID in place of a number leads to its skin',
    ],
  },
  'GET /v2/skins/{uuid}': {
    hosted:
      'The service creates short IDs, which find every skin that a UUID finds. Anyone may cache an answer for three hours; it has `Last-Modified`.',
    here: 'A short ID is the first eight digits of the UUID, and finds public skins and, with a key, your own. Only the caller may cache an answer, and revalidates it by its `ETag`.',
    why: 'Eight digits can be guessed, so unlisted skins of others stay hidden. Deleted and hidden skins are no longer shown anywhere.',
    shown: [
      'test/service/skins/skin-picks.test.ts',
      'A short id leads to public skins and to those of the caller',
    ],
  },
  'POST /v2/skins/{uuid}/report': {
    hosted: 'Needs an account; a second report is refused with `already_reported`.',
    here: 'Needs no key; a second report of the same skin changes nothing. The body is `{reason, text}`.',
    why: 'People who find an objectionable skin need no account to report it.',
    shown: [
      'test/service/moderation/reports.test.ts',
      'Anyone may report a skin once, and the operator reads why',
    ],
  },
  'GET /v2/skins/popular': {
    hosted: 'Skins of the last 30 days with more than three views.',
    here: 'All public skins, those with the most views first.',
    why: 'A small service would show an empty list.',
    shown: [
      'test/service/skins/skin-picks.test.ts',
      'Latest, popular and random skins and the pages of version 1 hold public ones only',
    ],
  },
  'GET /v2/skins/{uuid}/similar': {
    hosted: "Belongs to the website's gallery; its answers are not published.",
    here: 'Up to 12 skins that look alike, public or, with a key, your own: `skins` of `{uuid, name, variant, cape, distance}`. Those with the same pixels come first, with distance 0.',
    why: 'What you need to show them as pictures.',
    shown: [
      'test/service/skins/similar-skins.test.ts',
      'Skins of the same picture come first, then those that look alike',
    ],
  },
  'GET /v2/me/skins': {
    hosted: 'Lists the skins of the last three months, unless a plan says otherwise.',
    here: 'Lists all of them.',
    why: 'There is no reason to hide what is stored.',
    shown: [
      'test/service/skins/skins.test.ts',
      "contain public skins for everyone, and all of a caller's own for that caller",
    ],
  },
  'PATCH /v2/skins/{uuid}': {
    hosted: 'Possible for some hours, and only until someone else uploads the same skin.',
    here: 'Possible at any time, because each user has a record of its own.',
    why: 'Uploads of others do not affect your skins.',
    shown: [
      'test/service/skins/skin-changes.test.ts',
      'changes the name, the visibility or both, and answers like GET',
    ],
  },
  'GET /v2/stats': {
    hosted:
      "`duplicate` counts requests; days are in the server's time zone; `upstream.errors` counts errors by tag.",
    here: '`duplicate` counts skins; days are in UTC; `upstream.errors` counts failed jobs by code.',
    why: 'They are counted in the store, at most once a minute.',
    shown: [
      'test/service/running/stats.test.ts',
      'The statistics count skins with new and with existing data, by hour, day, month and year',
    ],
  },
  'POST /generate/upload': {
    hosted: 'The picture comes in a part named `file`.',
    here: 'The part may have any name. `visibility` is read as for `POST /generate/url`.',
    why: 'Old plugins name the part after the file.',
    shown: ['test/service/v1/generating.test.ts', 'The picture may be in a form part of any name'],
  },
  'POST /generate/url': {
    hosted: 'A `visibility` other than 1 is public.',
    here: '0 is public, other values are unlisted; `private` is refused.',
    why: 'Hiding is the safe interpretation of an unknown value.',
    shown: [
      'test/service/v1/generating.test.ts',
      'makes a skin with the visibility in numbers, digits or words',
    ],
  },
  'POST /generate/user': {
    hosted: 'A `visibility` other than 1 is public.',
    here: '0 is public, other values are unlisted; `private` is refused.',
    why: 'Hiding is the safe interpretation of an unknown value.',
    shown: [
      'test/service/v1/generating.test.ts',
      'makes a skin with the visibility in numbers, digits or words',
    ],
  },
  'GET /generate/user/{uuid}': {
    hosted: 'Everyone may call it, including web pages.',
    here: 'Pages of other sites may not, and HEAD is refused.',
    why: 'A picture in a page would generate skins from its readers’ addresses.',
    shown: [
      'test/service/v1/generating-by-get.test.ts',
      'Neither HEAD nor a picture in a page of another site makes a skin',
    ],
  },
  'GET /get/id/{id}': {
    hosted: 'Finds skins of every visibility by their numbers.',
    here: 'Finds public skins and, with a key, your own.',
    why: 'Numbers can be enumerated, and strangers may share the address of a caller without a key.',
    shown: [
      'test/service/skins/who-sees-what.test.ts',
      'each caller sees through each route what the table says',
    ],
  },
  'GET /render/head': PICTURE_OF_URL,
  'GET /render/skin': PICTURE_OF_URL,
  'GET /render/{id}/head': PICTURE_OF_SKIN,
  'GET /render/{id}/skin': PICTURE_OF_SKIN,
  'GET /render/texture/{id}': PICTURE_OF_SKIN,
  'GET /get/list/{page}': {
    hosted: '`amount` is rounded, pages after a skin have up to 512 skins, and an unknown skin is 404.',
    here: '`amount` is rounded up and left out beyond 10,000 skins, pages have up to 64 skins, and an unknown skin is 400.',
    why: 'Otherwise the last page would be missing; the cost of a request is bounded.',
    shown: [
      'test/service/v1/listing.test.ts',
      'A list without a page number is the first page, and pages have the requested length',
    ],
  },
  'GET /get/stats': {
    hosted: 'Has `views` and counts by source.',
    here: 'Has neither.',
    why: 'They are not counted.',
    shown: [
      'test/service/running/stats.test.ts',
      'Version 1 returns the same statistics under its own names',
    ],
  },
};

/** Why answers lack a field of the contract. */
export const NO_FIELD: Readonly<Record<string, string>> = {
  'usage.credits': 'credits were abolished',
  'usage.credits.used': 'credits were abolished',
  'usage.credits.remaining': 'credits were abolished',
  'usage.metered': 'nothing is billed',
  'usage.metered.used': 'nothing is billed',
};

/** Error codes in the source of the hosted service. */
export const HOSTED_CODES = [
  'already_liked',
  'already_reported',
  'api_key_not_found',
  'blocked_url_host',
  'concurrency_limit',
  'failed_to_create_id',
  'generator_timeout',
  'image_not_found',
  'insufficient_credits',
  'insufficient_grants',
  'internal_error',
  'invalid_api_key',
  'invalid_cape',
  'invalid_client',
  'invalid_content_type',
  'invalid_credits',
  'invalid_file',
  'invalid_image',
  'invalid_image_url',
  'invalid_request',
  'invalid_skin_data',
  'invalid_user',
  'job_failed',
  'job_limit',
  'job_not_found',
  'missing_file',
  'no_account_available',
  'no_credits',
  'no_duplicate',
  'not_found',
  'rate_limit',
  'service_unavailable',
  'skin_change_failed',
  'skin_not_found',
  'unauthorized',
  'unexpected_error',
  'unknown_variant',
  'upload_error',
  'user_not_found',
  'validation_error',
] as const;

/** Notes on codes: why one is missing here, why it exists only here, or what differs. */
export const ABOUT_CODES: Readonly<Record<string, string>> = {
  already_reported: 'A second report of a skin gets the same answer as the first.',
  api_key_not_found: 'Reported as `invalid_api_key`.',
  blocked_url_host: 'Reported as `invalid_image_url`.',
  failed_to_create_id: 'Cannot happen, because IDs are random.',
  image_not_found: 'Reported as `not_found`.',
  insufficient_credits: 'Credits were abolished.',
  invalid_client: 'A fault inside the hosted service.',
  invalid_credits: 'Credits were abolished.',
  no_credits: 'Credits were abolished.',
  set_not_found: 'The hosted service has no sets of skins.',
  player_not_found: 'The hosted service has no names of players.',
  set_gone: 'The hosted service has no sets of skins.',
  link_gone: 'The hosted service has no links that sign people in.',
  upload_error: 'Reported as `internal_error`.',
  blocked_image: 'The operator has blocked the picture.',
  anonymous_limit: 'Callers without a key have used up their common limit.',
  store_full: 'The store has reached its maximum size.',
  store_unreachable: 'The store is a PostgreSQL database that does not respond.',
  unknown_variant:
    'The hosted service uses it if it cannot detect the variant of a picture, and `validation_error` for an unknown word.',
  concurrency_limit: '`POST /v2/generate` never uses it.',
};

/** Statements of docs/internals/specification.md that no request of a careful client shows. */
export const UNSEEN_STATEMENTS: Readonly<Record<string, string>> = {
  '1.3b': 'Who processes a job is the server’s own affair.',
  '1.4e': 'The interface has no operation for it.',
  '1.6a': 'There are no credits to see.',
  '1.6c': 'What a plan gives shows only when it is full.',
  '3.2': 'A state that is not named cannot be expected; a client takes it for pending.',
  '3.3': 'A job is seen now and then, not at each step.',
  '4.n4': 'It is a rule for clients: `skinsmith serve --double` watches over it.',
  '5.2a': 'The account manager is no part of the interface.',
  '5.2b': 'The account manager is no part of the interface.',
  '5.4': 'The settings of a key are in the account manager.',
  '5.6': 'No form is prescribed.',
  '6.1': 'There is nothing to see.',
  '6.3': 'No form is prescribed.',
  '8.3': 'There are no credits to see.',
};

/** Codes that both services have, and that a careful client sees only in times of trouble. */
export const UNPROVOKED_CODES: readonly string[] = [
  'already_liked',
  'concurrency_limit',
  'generator_timeout',
  'insufficient_grants',
  'internal_error',
  'invalid_cape',
  'invalid_skin_data',
  'job_failed',
  'no_account_available',
  'no_duplicate',
  'service_unavailable',
  'skin_change_failed',
  'unexpected_error',
];
