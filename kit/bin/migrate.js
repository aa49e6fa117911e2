#!/usr/bin/env node
import "../dist/service/apply-migrations.js";
