// Prints the table of folders for the README: npm run architecture
import { printTable } from './folder-rules.ts';

process.stdout.write(`${printTable()}\n`);
