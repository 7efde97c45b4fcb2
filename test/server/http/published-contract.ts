import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ErrorObject } from 'ajv';

const FILE = join(import.meta.dirname, '../../fixtures/openapi/published-v2.json');

interface Reference {
  readonly $ref?: string;
}
interface Contract {
  readonly paths: Record<string, Record<string, { readonly responses: Record<string, Reference> }>>;
}

/** A UUID as that service writes it: with dashes, or "stripped" of them. */
const ANY_UUID = /^[0-9a-f]{8}(-?)[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{12}$/i;

/** The hosted service's published description, as what judges our answers. */
export class PublishedContract {
  readonly #contract: Contract;
  readonly #ajv: Ajv;

  constructor() {
    this.#contract = JSON.parse(readFileSync(FILE, 'utf8')) as Contract;
    // Keywords of OpenAPI 3.0 that JSON Schema does not have (example, deprecated, …) say nothing here.
    this.#ajv = new Ajv({
      strict: false,
      allErrors: true,
      formats: { uuid: ANY_UUID, url: true, binary: true },
    });
    this.#ajv.addSchema(this.#contract, 'published');
  }

  /** What is wrong with a body as the answer of this status to this operation. */
  faults(operation: `${'get' | 'post'} ${string}`, status: number, body: unknown): string[] {
    const [method = '', path = ''] = operation.split(' ');
    const response = this.#contract.paths[path]?.[method]?.responses[status];
    if (!response) return [`${operation} has no answer ${status}`];
    const place = response.$ref ?? `#/paths/${path.replaceAll('/', '~1')}/${method}/responses/${status}`;
    return this.#judge(place, body);
  }

  /** What is wrong with a body as one of the answers that have a name of their own. */
  faultsAs(name: string, body: unknown): string[] {
    return this.#judge(`#/components/responses/${name}`, body);
  }

  #judge(place: string, body: unknown): string[] {
    const pointer = `published${place.replaceAll('{', '%7B').replaceAll('}', '%7D')}/content/application~1json/schema`;
    const validate = this.#ajv.getSchema(pointer);
    if (!validate) return [`the contract has no schema at ${pointer}`];
    validate(body);
    return (validate.errors ?? []).map(describe);
  }
}

function describe({ instancePath, message, params }: ErrorObject): string {
  return `${instancePath} ${message} ${JSON.stringify(params)}`;
}
