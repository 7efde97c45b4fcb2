import { isAboutCertificate, networkReason } from '../../base/network-reason.ts';
import { parsedJson } from '../../base/parsed-json.ts';
import type { CommandContext } from '../context/context.ts';
import {
  addressHint,
  certificateHint,
  namingOf,
  otherAddressHint,
  PROXY_HINT,
  type ServiceNaming,
} from '../errors/service-hints.ts';
import { type Check, type Finding, ok, problem, warning } from './check.ts';
import { type Answer, ProbeError, type Stage } from './probe.ts';

/** Checks each stage of a request to the service, and whether a compatible service answers. */
export const connectionCheck: Check = {
  needs: ['service'],
  look: async (setup) => {
    const { isEmbedded } = await setup.connection();
    try {
      const answer = await setup.firstAnswer();
      const place = isEmbedded ? 'The embedded service' : answer.url.origin;
      return findingOf(answer, place, namingOf(setup.context));
    } catch (error) {
      if (error instanceof ProbeError) return unreached(error, setup.context);
      throw error;
    }
  },
};

function findingOf(answer: Answer, place: string, naming: ServiceNaming): Finding {
  const { status, text, times, proxy } = answer;
  const total = Math.round([...times.values()].reduce((sum, time) => sum + time, 0));
  if (status >= 300 && status < 400) return redirected(answer, naming);
  if (parsedJson(text) === undefined) return notJson(answer, place, naming);
  if (status === 429) return warning(`${place} is limiting requests now.`, 'Wait a minute.');
  if (status >= 500) {
    return warning(`${place} answers, but is in trouble (status ${status}).`, 'Try again later.');
  }
  if (proxy !== undefined) return ok(`${place} answers in ${total} ms through ${proxy}.`);
  const parts = [...times].map(([stage, time]) => `${stage} ${Math.round(time)}`).join(', ');
  return ok(`${place} answers in ${total} ms (${parts}).`);
}

function redirected({ status, location, url }: Answer, naming: ServiceNaming): Finding {
  const target = location === undefined ? undefined : URL.parse(location, url.href)?.origin;
  const isElsewhere = target !== undefined && target !== url.origin;
  return problem(
    `${url.origin} answers ${status} and redirects to ${target ?? 'nowhere'}; redirects are not followed.`,
    isElsewhere ? `If that is the service: ${otherAddressHint(target, naming)}` : addressHint(naming),
  );
}

function notJson({ status, text, url }: Answer, place: string, naming: ServiceNaming): Finding {
  if (/^\s*</.test(text)) {
    return problem(
      `${place} answers ${status} with an HTML page, which probably comes from a proxy, a network's sign-in page or another program.`,
      `Open ${url.origin} in a browser to see where it comes from. ${addressHint(naming)}`,
    );
  }
  return problem(`${place} answers ${status} with something that is not JSON.`, addressHint(naming));
}

const STAGES = {
  name: ({ url, code }, naming) => {
    if (code === 'ENOTFOUND') return problem(`There is no host ${url.hostname}.`, addressHint(naming));
    return problem(`The name ${url.hostname} cannot be looked up now (${code}).`, 'Is this machine online?');
  },
  connection: ({ url, code }) => {
    if (code === 'ECONNREFUSED') return problem(`Nothing listens at ${url.host}.`, 'Is the service running?');
    return problem(
      `There is no connection to ${url.host} (${code}).`,
      'Is this machine online, or does a firewall block the connection?',
    );
  },
  tls: ({ url, code, cause }, naming) =>
    isAboutCertificate(cause)
      ? problem(`The certificate of ${url.host} is not accepted (${code}).`, certificateHint(cause, naming))
      : problem(`${url.host} does not speak TLS (${code}).`, `Is it http://${url.host}?`),
  answer: ({ url, code }) =>
    problem(`${url.host} was reached, but did not answer (${code}).`, 'See the log of the service.'),
  proxy: ({ url, cause }, naming) =>
    problem(
      `${url.host} cannot be reached: ${networkReason(cause)}.`,
      isAboutCertificate(cause) ? certificateHint(cause, naming) : PROXY_HINT,
    ),
} satisfies Record<Stage, (error: ProbeError, naming: ServiceNaming) => Finding>;

function unreached(error: ProbeError, context: Pick<CommandContext, 'env' | 'flags'>): Finding {
  return STAGES[error.stage](error, namingOf(context));
}
