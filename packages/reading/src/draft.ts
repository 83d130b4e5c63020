/** An object while it is put together: members are set only when there is something to say. */
export type Draft<T> = { -readonly [K in keyof T]: T[K] };
