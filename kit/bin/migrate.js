#!/usr/bin/env node
import "../dist/apply-migrations.js";
