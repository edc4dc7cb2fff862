// What every view uses, under one name.
export * from './api.js';
export * from './dom.js';
export * from './format.js';
export * from './router.js';
export * from './strings.js';
export * from './ui.js';
