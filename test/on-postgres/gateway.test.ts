import { onPostgres } from '../support/postgres/on-postgres.ts';

onPostgres('service/gateway', ['gateway']);
