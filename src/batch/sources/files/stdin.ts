import type { SourceContent } from '../../model/source.ts';
import { fileProblem } from './file-problem.ts';

/** Maximum bytes of a picture: far above any skin, so that the check can still say what it is. */
const MAX_BYTES = 8 * 1024 * 1024;

/** The content of stdin: a picture, or text for the caller to parse. */
export async function stdinContent(stdin: AsyncIterable<Uint8Array>): Promise<SourceContent> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of stdin) {
      size += chunk.length;
      if (size > MAX_BYTES) return problem('invalid_image', 'The data on stdin is too large for a skin.');
      chunks.push(chunk);
    }
  } catch (error) {
    return { kind: 'problem', problem: fileProblem('stdin', error) };
  }
  if (size === 0) return problem('empty_input', 'Stdin is empty.');
  return { kind: 'bytes', bytes: Buffer.concat(chunks) };
}

function problem(code: string, message: string): SourceContent {
  return { kind: 'problem', problem: { code, message } };
}
