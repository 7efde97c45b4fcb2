import { onPostgres } from '../support/postgres/on-postgres.ts';

// contract/postgres-queue tries by itself what the queue does there, several nodes at once too.
onPostgres('service/jobs', ['webhooks'], ['queue']);
