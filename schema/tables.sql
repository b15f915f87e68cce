-- The object/transition database. Version 6.
--
-- version  what changed
-- 1        the first
-- 2        routines.conditions; test_cases.seconds; parameters.kinds; more kinds of routines
-- 3        test_cases.odd; faults.class, plain_likelihood, plain_reason, odd_likelihood, odd_reason; outcome flaky
-- 4        snapshot_evaluations.asked; seeds, retired_faults; conditions of branches among the predicates
-- 5        inferences; clauses.rank
-- 6        routines.quiet
--
-- Digests are 16 bytes of blake2b, kept as UUID because DuckDB stores and compares those as one number.
-- An index is the position of an object in the list that a snapshot holds. Keys are not declared as constraints:
-- the store is the only writer, and constraints would cost most of the loading time.

-- What this file is, and what it was told: one row or more for each name.
CREATE TABLE about (
    name VARCHAR,            -- 'format', 'version', 'target' (module, folder and classes, separated by tabs; one row for each), 'allow' (what the guard lets pass), 'law', 'template', 'synonyms' (class and a digest of the queries that say the same)
    content VARCHAR
);

-- One random-testing session, or one round of reduction.
CREATE TABLE sessions (
    id INTEGER,
    digest UUID,             -- of the random bits drawn at its start: the same session is ingested once
    target VARCHAR,          -- the targets as the user wrote them, separated by spaces
    strategy VARCHAR,        -- 'random', 'autotest', 'feedback', 'controlled'; 'reduce' for a round of reduction
    settings VARCHAR,        -- JSON: the parameters of the strategy
    workers INTEGER,         -- processes that tested at the same time
    seed BIGINT,
    started TIMESTAMP,       -- UTC
    seconds DOUBLE,          -- time spent testing
    calls BIGINT,            -- routines executed, kept as test cases or not
    states BIGINT            -- distinct snapshots met
);

-- Classes of the objects met, subjects and others.
CREATE TABLE classes (
    id INTEGER,
    name VARCHAR,            -- 'module:Class'
    subject BOOLEAN,         -- is it under test
    file VARCHAR,
    source UUID,             -- digest of its source
    doc VARCHAR
);

-- Subtyping as a table: a search for a class finds its subclasses.
CREATE TABLE conformances (
    class_id INTEGER,
    base_id INTEGER          -- a base class of it, or the class itself
);

-- Callables of the subject: constructors, methods, properties, attributes, functions.
CREATE TABLE routines (
    id INTEGER,
    name VARCHAR,            -- 'module:Class.method'
    class_id INTEGER,        -- NULL for a function
    kind VARCHAR,            -- 'constructor', 'method', 'property', 'attribute', 'setter', 'context', 'function', 'static',
                             -- 'display' (a new list or tuple of objects)
    slots UTINYINT,          -- number of parameters
    doc VARCHAR,
    file VARCHAR,
    line INTEGER,
    queried BOOLEAN,         -- its value is evaluated on objects (FALSE once it was seen to change what is evaluated)
    quiet BOOLEAN,           -- it writes to objects when it is evaluated, to a cache for instance, but nothing evaluated shows it
    helper BOOLEAN,          -- it builds arguments and is not under test itself
    asynchronous BOOLEAN,    -- declared with async
    generator BOOLEAN,       -- has a yield, or gave an iterator: what it gave was run into a list
    conditions VARCHAR[]     -- of its branches, in the contract language, as far as they speak of public members
);

-- The parameters of the routines.
CREATE TABLE parameters (
    routine_id INTEGER,
    slot UTINYINT,           -- 1.. in the order of the signature
    name VARCHAR,
    kind VARCHAR,            -- 'positional', 'keyword', 'variadic' (one of the places of *args), 'keywords' (**kwargs)
    annotation VARCHAR,      -- as written, NULL if there is none
    required BOOLEAN,        -- has no default
    kinds VARCHAR[],         -- what its default, the docstring, its name and its use suggest, if it has no annotation
    learned VARCHAR[]        -- kinds of values that mostly passed here
);

-- The serialized lists of objects before and after calls, each state once.
CREATE TABLE snapshots (
    id INTEGER,
    digest UUID,             -- of the bytes as they were recorded
    codec VARCHAR,           -- 'pickle', 'dill', or 'recipe' (the calls that build it)
    bytes BLOB,              -- after ingest the list also holds what the operands reach, behind them
    slots UTINYINT,          -- how many of the objects are operands, a result or an exception
    recipe_test INTEGER,     -- the test case whose post-snapshot it is, with the shortest recipe; NULL: the operands of one
                             -- whose pre-snapshot it is
    recipe_calls INTEGER     -- length of that recipe, always greater than that of the recipes it stands on
);

-- One element of a snapshot.
CREATE TABLE objects (
    snapshot_id INTEGER,
    index UTINYINT,
    class_id INTEGER,
    path VARCHAR,            -- of what operands only reach: the public query, such as '$.parent', that gives it ...
    path_index UTINYINT      -- ... of the object at this index; NULL for operands, and where no public path leads
);

-- One call each.
CREATE TABLE test_cases (
    id INTEGER,
    digest UUID,             -- of routine, snapshots, operands, outcome and exception
    session_id INTEGER,
    routine_id INTEGER,
    pre_snapshot INTEGER,    -- NULL if the call killed its process before the state was sent
    pre_operands TINYINT[],  -- for each slot, receiver first, the index in the pre-snapshot; NULL where there is none
    post_snapshot INTEGER,   -- NULL if the call never came back
    post_operands TINYINT[], -- the same after the call, then the result, then objects that were only carried along
    outcome VARCHAR,         -- 'pass', 'refuse', 'fail', 'hang', 'crash', 'flaky'
    reason VARCHAR,          -- why it is that outcome, in words
    raised VARCHAR[],        -- the exception's class and its bases, most derived first; NULL if it returned
    message VARCHAR,
    changed BOOLEAN,         -- the operands after the call differ from those before; NULL if nobody can tell
    fault UUID,              -- which fault it shows, NULL if none
    found_by VARCHAR,        -- 'run', 'requires', 'ensures', 'raises', 'transition'
    seconds REAL,            -- of testing, when it was made in its session; counted in calls (1,000 a second) with --tests
    odd INTEGER              -- unusual values, such as nan or None, among its operands and in what built them
);

-- Where the operand in a slot of a test case came from. Recipes are read from these rows, backwards.
CREATE TABLE recipes (
    test_case_id INTEGER,
    slot UTINYINT,           -- beyond the result: an object that the call does not take, carried along
    source_snapshot INTEGER, -- an object of this snapshot ...
    source_index UTINYINT,   -- ... at this index,
    literal VARCHAR          -- or this Python expression
);

-- Normalized expressions with $ for objects, each text once.
CREATE TABLE predicates (
    id INTEGER,
    text VARCHAR,
    arity UTINYINT           -- number of $
);

-- Which snapshots were evaluated, and how fully.
CREATE TABLE snapshot_evaluations (
    snapshot_id INTEGER,
    status VARCHAR,          -- 'complete', 'bounded' (more objects or arguments than the bound), 'failed' (could not be loaded)
    tried INTEGER,           -- number of evaluations
    asked UUID               -- digest of the queries that there were then: with others it is evaluated anew
);

-- The value of a predicate on objects of a snapshot. No row: unknown. value_id NULL: undefined, the predicate raises.
CREATE TABLE evaluations (
    snapshot_id INTEGER,
    predicate_id INTEGER,
    value_id INTEGER,        -- its value; NULL where the predicate raises
    var_0 UTINYINT,          -- index of the object that stands for the first $, and so on
    var_1 UTINYINT,
    var_2 UTINYINT,
    var_3 UTINYINT,
    var_4 UTINYINT,
    var_5 UTINYINT,
    var_6 UTINYINT,
    var_7 UTINYINT,
    var_8 UTINYINT
);

-- Each value once. None is a value; NULL would mean undefined.
CREATE TABLE values (
    id INTEGER,
    kind VARCHAR,            -- 'none', 'bool', 'int', 'float', 'str', 'bytes', 'list', 'tuple', 'set', 'frozenset', 'dict', 'object', 'opaque'
    integer BIGINT,          -- of an int or bool that fits
    real DOUBLE,             -- of a float, or an int or bool that a float holds exactly
    text VARCHAR,            -- the string itself, or Python's literal for the rest
    truth BOOLEAN,           -- bool(value), NULL if that raises
    equality INTEGER,        -- id of the first value that == finds equal; NULL for nan and for what holds objects
    items INTEGER[],         -- of a list, tuple or set: the equality of each item
    object UTINYINT,         -- of an object: its index in the snapshot
    record VARCHAR           -- the whole value as JSON
);

-- A routine together with a predicate's value before and after, over the same slots.
CREATE TABLE transitions (
    routine_id INTEGER,
    predicate_id INTEGER,
    slots UTINYINT[],        -- the slot that stands for each $
    before_value INTEGER,    -- NULL: undefined
    after_value INTEGER,     -- NULL: undefined
    tests INTEGER,           -- how many test cases showed it
    example INTEGER          -- one of them
);

-- One contract expression each.
CREATE TABLE clauses (
    id INTEGER,
    routine_id INTEGER,
    kind VARCHAR,            -- 'requires', 'ensures', 'raises', 'invariant'
    text VARCHAR,
    template VARCHAR,        -- the family it was made from; NULL if written
    status VARCHAR,          -- 'kept', 'removed', 'guards', 'written'
    support INTEGER,         -- test cases that could have refuted it
    evidence VARCHAR,        -- what speaks for it, or against it, in words
    witness INTEGER,         -- the test case that removed it
    rank INTEGER             -- its place among the clauses of its routine: what says most comes first
);

-- What the clauses of each routine were inferred from: as long as it is the same, they are not inferred again.
CREATE TABLE inferences (
    routine_id INTEGER,
    stamp UUID               -- digest of its test cases, of what was asked of their states, and of the templates
);

-- One attempt to violate a clause.
CREATE TABLE reductions (
    id INTEGER,
    clause_id INTEGER,
    way VARCHAR,             -- 'requires', 'ensures', 'raises', 'transition'
    query VARCHAR,           -- the SQL, as it can be pasted into `stateful sql`
    residual VARCHAR,        -- what SQL cannot express and was checked on the live objects; NULL if nothing
    found INTEGER,           -- operand tuples that the query gave
    tried INTEGER,           -- of these, called
    violating INTEGER,       -- of these, really violating on the live objects
    verdict VARCHAR,         -- 'removed', 'kept', 'guards', 'no objects', 'implied', 'timed out', 'unfinished'
    witness INTEGER,
    milliseconds DOUBLE
);

-- Distinct reasons for failing tests.
CREATE TABLE faults (
    digest UUID,             -- of what makes it this fault and no other
    likelihood VARCHAR,      -- 'certain', 'likely', 'suspicious'
    kind VARCHAR,            -- 'exception', 'law', 'clause', 'hang', 'crash'
    reason VARCHAR,          -- why it is believed
    routine_id INTEGER,
    exception VARCHAR,
    message VARCHAR,
    file VARCHAR,
    line INTEGER,
    law VARCHAR,
    class VARCHAR,           -- for a law the class that breaks it
    trace VARCHAR,           -- JSON: the subject's frames, outermost first: file, line, function
    found_by VARCHAR,
    tests INTEGER,           -- kept test cases that show it
    calls INTEGER,           -- length of the reproducer, in calls
    reproducer VARCHAR,      -- Python code that fails as reported
    confirmed BOOLEAN,       -- it failed as reported when it was run again in a fresh worker
    plain_likelihood VARCHAR, -- how likely it is if its reproducer holds ordinary values only ...
    plain_reason VARCHAR,    -- ... and why
    odd_likelihood VARCHAR,  -- how likely it is if its reproducer holds unusual ones ...
    odd_reason VARCHAR       -- ... and why
);

-- Calls of an older version of the subject, which the next session makes first.
CREATE TABLE seeds (
    program VARCHAR          -- JSON: the steps, as in snapshots of the codec 'recipe'
);

-- Faults of an older version of the subject.
CREATE TABLE retired_faults (
    digest UUID,             -- as it was in faults; so are the others
    routine VARCHAR,         -- by name: there may be no such routine any more
    likelihood VARCHAR,      -- as it was
    kind VARCHAR,
    exception VARCHAR,
    message VARCHAR,
    law VARCHAR,
    reproducer VARCHAR,      -- Python code that failed
    verdict VARCHAR          -- 'fixed', 'still there'; NULL if it was not replayed yet
);

-- Statements and branches covered over time.
CREATE TABLE coverage (
    session_id INTEGER,
    seconds DOUBLE,
    calls BIGINT,
    statements INTEGER,
    statements_all INTEGER,
    branches INTEGER,
    branches_all INTEGER
);
