import type { SourceContent } from '../types.ts';
import { fileProblem } from './file-problem.ts';

/** Bytes read of a picture at the most: far above any skin, so that the check can still say what it is. */
const MAX_BYTES = 8 * 1024 * 1024;

/** A picture on stdin. */
export async function stdinContent(stdin: AsyncIterable<Uint8Array>): Promise<SourceContent> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of stdin) {
      size += chunk.length;
      if (size > MAX_BYTES) return problem('invalid_image', 'What comes on stdin is too large for a skin.');
      chunks.push(chunk);
    }
  } catch (error) {
    return { kind: 'problem', problem: fileProblem('stdin', error) };
  }
  if (size === 0) return problem('empty_input', 'Nothing came on stdin.');
  return { kind: 'bytes', bytes: Buffer.concat(chunks) };
}

function problem(code: string, message: string): SourceContent {
  return { kind: 'problem', problem: { code, message } };
}
