import type { MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { tooManyFields, tooManyFiles } from '../limits.ts';
import type { Part, PartLimits } from '../request.ts';
import { withoutFrameworkErrors } from './framework-errors.ts';

/** The parts of a form in the order they come, however it is written. @throws Refusal */
export async function* streamParts(request: FastifyRequest, limits: PartLimits): AsyncIterable<Part> {
  const left = { files: limits.files, texts: limits.fields };
  try {
    for await (const part of request.parts(optionsFor(limits))) {
      const name = part.fieldname;
      if (part.type === 'field') yield { kind: 'field', name, value: part.value };
      else if (part.filename === undefined && isJson(part.mimetype)) {
        if (left.texts-- === 0) throw tooManyFields();
        yield { kind: 'field', name, value: await readJson(part, limits) };
      } else {
        if (left.files-- === 0) throw tooManyFiles();
        yield { kind: 'file', name, fileName: part.filename, read: async () => await bytesOf(part) };
      }
    }
  } catch (error) {
    throw withoutFrameworkErrors(error);
  }
}

/** The library refuses a form with a text that is typed as JSON and is none, unless it takes the text for a file. */
function optionsFor(limits: PartLimits): Parameters<FastifyRequest['parts']>[0] {
  return {
    limits: { ...limits, files: limits.files + limits.fields + 1 }, // those above say which of them are too many
    isPartAFile: (_, type, fileName) =>
      fileName !== undefined || type === 'application/octet-stream' || isJson(type),
  };
}

function isJson(type: string | undefined): boolean {
  return type?.startsWith('application/json') === true;
}

/** Clients type all their parts as JSON, whatever is in them. */
async function readJson(part: MultipartFile, { fieldSize }: PartLimits): Promise<unknown> {
  const text = (await bytesOf(part)).subarray(0, fieldSize).toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function bytesOf(part: MultipartFile): Promise<Buffer> {
  try {
    return await part.toBuffer();
  } catch (error) {
    throw withoutFrameworkErrors(error);
  }
}
