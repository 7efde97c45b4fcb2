import { randomUUID } from 'node:crypto';

const UUID = /^(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/** Whether a text is a UUID: 32 hexadecimal digits, or 36 characters with dashes. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** A new UUID of version 4, in the form of `bareUuid`. Clients check the version. */
export function newUuid(): string {
  return bareUuid(randomUUID());
}

/** A UUID in the form for comparing and storing: 32 hexadecimal digits, lower case. */
export function bareUuid(uuid: string): string {
  return uuid.replaceAll('-', '').toLowerCase();
}
