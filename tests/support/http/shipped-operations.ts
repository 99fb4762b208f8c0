/** A query and a mutation that the site ships, for tests and benchmarks that need any operation. */
import { CREATE_MESSAGE, LIST_MESSAGES } from '../../../app/graphql/messages.graphql.generated.ts';

export const shippedQuery = { ...LIST_MESSAGES, variables: {} };
export const shippedMutation = (text = 'Hello') => ({ ...CREATE_MESSAGE, variables: { content: text } });
