/** A type that was asked for, and the forms of its name. */

export const kindNames = ['string', 'int', 'float', 'boolean', 'datetime'] as const;
export type KindName = (typeof kindNames)[number];

export type Field = { name: string; kind: KindName; isOptional: boolean };

export type RecordType = {
  /** Such as `BlogPost` and `BlogPosts`. */
  name: string;
  plural: string;
  fields: readonly Field[];
  /** Whether only the member who has added a record changes it. */
  isOwned: boolean;
  /** The group that may change the records of others, or null. */
  group: string | null;
  /** 0 for records that do not expire. */
  lifetimeSeconds: number;
};

/** A field of `Query` or `Mutation`, and the group that it is for, or null. */
export type RootField = { root: string; field: string; template: string; group: string | null };

/** `blogPost`. */
export function camelCase(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/** `blog post`, or with another separator `blog-post`. */
export function kebabCase(name: string, separator = '-'): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, separator).toLowerCase();
}
