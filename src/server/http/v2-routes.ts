import type { z } from 'zod';
import { envelopeSchema, errorAnswerSchema, type Note } from '../../protocol/envelope.ts';
import { type Address, type Route, type RouteSpec, route } from './route.ts';
import { type Notes, v2Answer } from './views.ts';

/** What several routes have in common. */
interface Common extends Pick<Route, 'scopes' | 'needsKey' | 'isStrict'> {
  /** Default: the route's own address, if that has no parameters. */
  readonly links?: Notes['links'];
}

/** The handler returns the content of the answer, which may have `links` and `messages` of its own. */
type V2Spec<P, Q, H, B> = Common &
  Omit<RouteSpec<P, Q, H, B, Promise<object> | Promise<void>>, 'answers'> & {
    /** The first one is what the handler's content becomes. Absent: nothing but the envelope, or a 404. */
    readonly answers?: Route['answers'];
    /** The message that it is done. */
    readonly done?: Note;
  };

const DONE: Route['answers'] = { 200: envelopeSchema, 404: errorAnswerSchema };

/** Makes routes of version 2: their answers have its envelope, with the warnings for every answer. */
export function v2Routes(common: Common = {}) {
  return <
    P extends z.ZodObject | undefined,
    Q extends z.ZodObject | undefined,
    H extends z.ZodObject | undefined,
    B extends z.ZodType | undefined,
  >(
    address: Address,
    spec: V2Spec<P, Q, H, B>,
  ): Route => {
    const { links, done, answers = DONE, handle, ...rest } = { ...common, ...spec };
    const [, path = ''] = address.split(' ');
    const notes = {
      links: links ?? (path.includes(':') ? {} : { self: path }),
      ...(done && { messages: [done] }),
    };
    const [status = 200] = Object.keys(answers).map(Number);
    return route<P, Q, H, B>(address, {
      ...rest,
      answers,
      handle: async (call) => {
        const content = await handle(call);
        if (answers[status] === null) return { status, body: undefined };
        return v2Answer({ ...notes, warnings: call.warnings }, content ?? {}, status);
      },
    });
  };
}
