import { parsedJson } from '../../base/parsed-json.ts';
import { isHostedService } from '../../dispatch/service-facts.ts';
import { VERSION } from '../../index.ts';
import { addressHint, namingOf, type ServiceNaming } from '../errors/service-hints.ts';
import { type Check, type Finding, ok, problem } from './check.ts';
import { hintFor } from './hints.ts';
import type { Readiness } from './setup.ts';

/** Identifies the sender of a response: skinsmith, the hosted service or another server. */
export const answerCheck: Check = {
  needs: ['connection'],
  look: async (setup) => {
    const { url, text } = await setup.firstAnswer();
    const readiness = await setup.readiness();
    if (readiness) return ofSkinsmith(readiness, namingOf(setup.context));
    if (!isEnvelope(parsedJson(text))) {
      return problem(
        `${url.origin} answers, but not as a skin service does: it is another program.`,
        addressHint(namingOf(setup.context)),
      );
    }
    if (isNothing(parsedJson(text))) {
      return problem(`There is nothing at ${url.href}.`, addressHint(namingOf(setup.context)));
    }
    if (isHostedService(url.href)) return ok(`${url.hostname} is the hosted service.`);
    return ok(`${url.origin} speaks the v2 interface; it is not skinsmith.`);
  },
};

const SEE_LOG = 'See the log of the service.';

function ofSkinsmith({ status, version, reasons }: Readiness, naming: ServiceNaming): Finding {
  const which = version === VERSION ? `skinsmith ${version}` : `skinsmith ${version} (here: ${VERSION})`;
  if (status === 'ready') return ok(`${which}, ready.`);
  return problem(`${which} takes no work now: ${reasons.join(', ')}.`, hintFor(reasons, naming) ?? SEE_LOG);
}

/** What skinsmith answers where it has no interface, such as below a wrong path. */
function isNothing(json: unknown): boolean {
  const { errors } = (json ?? {}) as { errors?: unknown };
  return Array.isArray(errors) && errors[0]?.code === 'not_found';
}

/** Fields that every response of API version 2 has. */
function isEnvelope(json: unknown): boolean {
  const { success, errors } = (json ?? {}) as { success?: unknown; errors?: unknown };
  return typeof success === 'boolean' || Array.isArray(errors);
}
