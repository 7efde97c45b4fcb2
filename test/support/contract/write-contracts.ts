import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Ajv, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import { describeApi } from '../../../src/server/http/openapi.ts';
import { ROUTES } from '../../../src/server/http/routes/routes.ts';
import type { Contract, KnownAnswer } from './contract.ts';

const PUBLISHED_FILE = join(import.meta.dirname, '../../fixtures/openapi/published-v2.json');

interface Answer {
  readonly $ref?: string;
  readonly content?: Record<string, { readonly schema?: object }>;
  readonly headers?: Record<string, object>;
}
interface Description {
  readonly paths: Record<string, Record<string, { readonly responses: Record<string, Answer> }>>;
  readonly components: { readonly responses?: Record<string, Answer> };
}

/** A UUID in the format of the hosted service: with dashes, or "stripped" of them. */
const ANY_UUID = /^[0-9a-f]{8}(-?)[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{12}$/i;

/**
 * Writes a module with two contracts, `own` (our description) and `published` (that of the hosted service), once per
 * run, because compiling the schemas in each test file would take longer than some of the files do.
 */
export async function writeContracts(path: string): Promise<void> {
  const own = JSON.parse(JSON.stringify(await describeApi(ROUTES))) as Description;
  const published = JSON.parse(await readFile(PUBLISHED_FILE, 'utf8')) as Description;
  // Ignores OpenAPI keywords unknown to JSON Schema (example, deprecated, …).
  const options: Options = { strict: false, inlineRefs: false, code: { source: true } };
  const formats = { uuid: ANY_UUID, url: true, binary: true } as const;
  const code = [
    contractCode('own', own, new Ajv2020({ ...options, validateFormats: false })),
    contractCode('published', published, new Ajv({ ...options, formats })),
  ].join('\n');
  const { resolve } = createRequire(import.meta.url); // the module is outside this package
  await writeFile(
    path,
    code.replaceAll(/require\("(ajv\/[^"]+)"\)/g, (_, module: string) => `require("${resolve(module)}")`),
  );
}

function contractCode(name: string, description: Description, ajv: Ajv | Ajv2020): string {
  ajv.addSchema(description, name);
  const validators = new Validators(name);
  const { paths, components } = description;
  const responses = mapValues(components.responses ?? {}, (answer, key) =>
    validators.know(answer, `/components/responses/${key}`),
  );
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => {
      const place = `/paths/${path.replaceAll('/', '~1')}/${method}/responses`;
      const answers = mapValues(operation.responses, ({ $ref, ...answer }, status) =>
        $ref === undefined
          ? validators.know(answer, `${place}/${status}`)
          : responses[$ref.slice($ref.lastIndexOf('/') + 1)],
      );
      return [`${method} ${path}`, answers];
    }),
  );
  const contract: Omit<Contract, 'validators'> = { operations: Object.fromEntries(operations), responses };
  const code = standalone.default(ajv, validators.places);
  const { length } = '"use strict";';
  return `exports.${name} = ((exports) => {${code.slice(length)}\nreturn { validators: exports, ...${JSON.stringify(contract)} };})({});`;
}

/** The validators to make, by name, and the place of each schema in a description. */
class Validators {
  readonly places: Record<string, string> = {};
  readonly #names = new Map<string, string>();
  readonly #description: string;

  constructor(description: string) {
    this.#description = description;
  }

  know({ content = {}, headers = {} }: Answer, place: string): KnownAnswer {
    const contents = mapValues(content, ({ schema }, type) =>
      schema === undefined
        ? null
        : this.#nameOf(schema, `${place}/content/${type.replaceAll('/', '~1')}/schema`),
    );
    return { contents, headers: Object.keys(headers) };
  }

  /** Equal schemas share a validator. */
  #nameOf(schema: object, place: string): string {
    const text = JSON.stringify(schema);
    const name = this.#names.get(text) ?? `answer${this.#names.size}`;
    this.#names.set(text, name);
    this.places[name] ??= `${this.#description}#${place.replaceAll('{', '%7B').replaceAll('}', '%7D')}`;
    return name;
  }
}

function mapValues<T, R>(
  record: Readonly<Record<string, T>>,
  map: (value: T, key: string) => R,
): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}
