import { useStore } from '../postgres/on-postgres.ts';
import './equal-bytes.ts'; // once in each process, as a module is loaded

// Runs before each file of tests: the one before it in the same process may have had its store in PostgreSQL.
useStore('sqlite');
