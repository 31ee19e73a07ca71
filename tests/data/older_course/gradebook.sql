BEGIN TRANSACTION;
CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL);
INSERT INTO "alembic_version" VALUES('e43177bfe90b');
CREATE TABLE assignment (
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(128) NOT NULL, 
	duedate DATETIME, 
	course_id VARCHAR(128) NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (name), 
	FOREIGN KEY(course_id) REFERENCES course (id)
);
INSERT INTO "assignment" VALUES('c8ddcf527c994f6bb7ec9f955e27696a','tiny','2026-03-02 12:00:00.000000','iteration-budget');
CREATE TABLE base_cell (
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(128) NOT NULL, 
	notebook_id VARCHAR(32) NOT NULL, 
	type VARCHAR(50), 
	PRIMARY KEY (id), 
	UNIQUE (name, notebook_id, type), 
	FOREIGN KEY(notebook_id) REFERENCES notebook (id)
);
INSERT INTO "base_cell" VALUES('2fad796d0d3b42af8cd9003585e59c46','cost-units','67ece51471bb4690a959af5c2c71773f','GradeCell');
INSERT INTO "base_cell" VALUES('8d2c862f6b9d43e4bb2ab0ec76700b17','cost-tie','67ece51471bb4690a959af5c2c71773f','GradeCell');
INSERT INTO "base_cell" VALUES('403388a56a07414ab482eabc2b08120e','cost','67ece51471bb4690a959af5c2c71773f','SolutionCell');
CREATE TABLE comment (
	id VARCHAR(32) NOT NULL, 
	notebook_id VARCHAR(32), 
	cell_id VARCHAR(32), 
	auto_comment TEXT, 
	manual_comment TEXT, 
	PRIMARY KEY (id), 
	UNIQUE (cell_id, notebook_id), 
	FOREIGN KEY(notebook_id) REFERENCES submitted_notebook (id), 
	FOREIGN KEY(cell_id) REFERENCES base_cell (id)
);
INSERT INTO "comment" VALUES('d8cacb0574874275903372f10509d458','3d98236c43be424c86ecc51d3c2f1ca2','403388a56a07414ab482eabc2b08120e',NULL,NULL);
INSERT INTO "comment" VALUES('f2a6015b7d2a469995ae4d923c2b7e91','361004090eab476193ad6275afbcedfb','403388a56a07414ab482eabc2b08120e',NULL,NULL);
INSERT INTO "comment" VALUES('db15976bf5eb470589d0654e9c54bcd0','ccda5fc68ea84275a36bac00a7f631bd','403388a56a07414ab482eabc2b08120e',NULL,'Look at the units again. 再看看单位。');
INSERT INTO "comment" VALUES('17977c7456744f049b0c856e7c662aa5','245a6aa067114951b0c0395d18c86807','403388a56a07414ab482eabc2b08120e',NULL,NULL);
INSERT INTO "comment" VALUES('9c691444ae064e80ab06a672bc9e7553','1c4d8a7baacf441793918723c2d6dc71','403388a56a07414ab482eabc2b08120e','No response.',NULL);
CREATE TABLE course (
	id VARCHAR(128) NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (id)
);
INSERT INTO "course" VALUES('iteration-budget');
INSERT INTO "course" VALUES('default_course');
CREATE TABLE grade (
	id VARCHAR(32) NOT NULL, 
	notebook_id VARCHAR(32), 
	cell_id VARCHAR(32), 
	auto_score FLOAT, 
	manual_score FLOAT, 
	extra_credit FLOAT, 
	needs_manual_grade BOOLEAN NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (cell_id, notebook_id), 
	FOREIGN KEY(notebook_id) REFERENCES submitted_notebook (id), 
	FOREIGN KEY(cell_id) REFERENCES base_cell (id)
);
INSERT INTO "grade" VALUES('07a7a184f26e4d91b507ba3d4dc87064','3d98236c43be424c86ecc51d3c2f1ca2','2fad796d0d3b42af8cd9003585e59c46',0.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('e357b2f9cf2f48698ce090e193f4b435','3d98236c43be424c86ecc51d3c2f1ca2','8d2c862f6b9d43e4bb2ab0ec76700b17',0.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('82bb336acdd941e5851b70486bdc92b8','361004090eab476193ad6275afbcedfb','2fad796d0d3b42af8cd9003585e59c46',1.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('e1d7a1c3ed5e4ec4be4a523d79d23fc9','361004090eab476193ad6275afbcedfb','8d2c862f6b9d43e4bb2ab0ec76700b17',1.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('b5978be07fb84c8aa59125e3f4d560d4','ccda5fc68ea84275a36bac00a7f631bd','2fad796d0d3b42af8cd9003585e59c46',0.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('371c8253db994422a0bca86c0afa3c0c','ccda5fc68ea84275a36bac00a7f631bd','8d2c862f6b9d43e4bb2ab0ec76700b17',1.0,NULL,0.25,0);
INSERT INTO "grade" VALUES('006aae41f7ae45a48b9058e1992cc91a','245a6aa067114951b0c0395d18c86807','2fad796d0d3b42af8cd9003585e59c46',0.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('d0502285d250423db1b7fa12835d71a6','245a6aa067114951b0c0395d18c86807','8d2c862f6b9d43e4bb2ab0ec76700b17',1.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('34f7338f8325491880cbde30d681be1c','1c4d8a7baacf441793918723c2d6dc71','2fad796d0d3b42af8cd9003585e59c46',0.0,0.5,NULL,1);
INSERT INTO "grade" VALUES('2bb25e91fd8b4b699e1aaf14c3f57234','1c4d8a7baacf441793918723c2d6dc71','8d2c862f6b9d43e4bb2ab0ec76700b17',0.0,NULL,NULL,0);
CREATE TABLE grade_cells (
	id VARCHAR(32) NOT NULL, 
	max_score FLOAT NOT NULL, 
	cell_type VARCHAR(8) NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(id) REFERENCES base_cell (id)
);
INSERT INTO "grade_cells" VALUES('2fad796d0d3b42af8cd9003585e59c46',1.0,'code');
INSERT INTO "grade_cells" VALUES('8d2c862f6b9d43e4bb2ab0ec76700b17',1.0,'code');
CREATE TABLE notebook (
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(128) NOT NULL, 
	assignment_id VARCHAR(32), 
	kernelspec VARCHAR(1024), 
	PRIMARY KEY (id), 
	UNIQUE (name, assignment_id), 
	FOREIGN KEY(assignment_id) REFERENCES assignment (id)
);
INSERT INTO "notebook" VALUES('67ece51471bb4690a959af5c2c71773f','tiny','c8ddcf527c994f6bb7ec9f955e27696a','{"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}');
CREATE TABLE solution_cells (
	id VARCHAR(32) NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(id) REFERENCES base_cell (id)
);
INSERT INTO "solution_cells" VALUES('403388a56a07414ab482eabc2b08120e');
CREATE TABLE source_cell (
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(128) NOT NULL, 
	cell_type VARCHAR(8) NOT NULL, 
	locked BOOLEAN NOT NULL, 
	source TEXT, 
	checksum VARCHAR(128), 
	notebook_id VARCHAR(32), 
	PRIMARY KEY (id), 
	UNIQUE (name, notebook_id), 
	FOREIGN KEY(notebook_id) REFERENCES notebook (id)
);
INSERT INTO "source_cell" VALUES('ae88bfa3069f4ccbb785a319d91caaed','cost','code',0,'def double(number):
    """两倍 · twice the number"""
    # TODO 在这里写你的代码 · write your code here
    raise NotImplementedError("TODO")','4a8bfb02180547051d18b2136797291c','67ece51471bb4690a959af5c2c71773f');
INSERT INTO "source_cell" VALUES('3c44fc6c9c5d4a2d990981a63d8d0e1c','cost-check','code',1,'checks.equal(double(2), double_ms=4)
checks.passed("cost")','a5baefbc814e5a2f34759c44fa0fe9a0','67ece51471bb4690a959af5c2c71773f');
INSERT INTO "source_cell" VALUES('c4b2ce6c25eb44d0a759ec6bb15e2151','cost-units','code',1,'# 评分：小数 · graded: small numbers
### BEGIN HIDDEN TESTS
with checks.concept("cost-units"):
    checks.equal(double(21), double_ms=42, ideas={"ms_forgotten": {"double_ms": 0.042}})
### END HIDDEN TESTS','077e925afc4fae482e26ad4fb5d10bf0','67ece51471bb4690a959af5c2c71773f');
INSERT INTO "source_cell" VALUES('2a8b559bc4694b49b9ad8e0ae18bce46','cost-tie','code',1,'# 评分：零 · graded: zero
### BEGIN HIDDEN TESTS
with checks.concept("cost-tie"):
    checks.equal(double(0), double_ms=0)
### END HIDDEN TESTS','6c112f4fd81cd79157df73234fe92e09','67ece51471bb4690a959af5c2c71773f');
CREATE TABLE student (
	id VARCHAR(128) NOT NULL, 
	first_name VARCHAR(128), 
	last_name VARCHAR(128), 
	email VARCHAR(128), 
	lms_user_id VARCHAR(128), 
	PRIMARY KEY (id)
);
INSERT INTO "student" VALUES('jonas',NULL,NULL,NULL,NULL);
INSERT INTO "student" VALUES('lin','Hua','Lin','lin@example.org','4711');
INSERT INTO "student" VALUES('maria',NULL,NULL,NULL,NULL);
INSERT INTO "student" VALUES('mei',NULL,NULL,NULL,NULL);
INSERT INTO "student" VALUES('tom',NULL,NULL,NULL,NULL);
INSERT INTO "student" VALUES('absent','Ab','Sent',NULL,NULL);
CREATE TABLE submitted_assignment (
	id VARCHAR(32) NOT NULL, 
	assignment_id VARCHAR(32), 
	student_id VARCHAR(128), 
	timestamp DATETIME, 
	extension DATETIME, 
	PRIMARY KEY (id), 
	UNIQUE (assignment_id, student_id), 
	FOREIGN KEY(assignment_id) REFERENCES assignment (id), 
	FOREIGN KEY(student_id) REFERENCES student (id)
);
INSERT INTO "submitted_assignment" VALUES('3d3f4f59937e471188a8a174cd03dcc5','c8ddcf527c994f6bb7ec9f955e27696a','jonas',NULL,NULL);
INSERT INTO "submitted_assignment" VALUES('8c1827c0f9724696a6835d098a810219','c8ddcf527c994f6bb7ec9f955e27696a','lin','2026-03-04 13:00:00.000000',NULL);
INSERT INTO "submitted_assignment" VALUES('efbcad2e23874399a4c17b36d09d82df','c8ddcf527c994f6bb7ec9f955e27696a','maria','2026-03-01 12:00:00.000000',NULL);
INSERT INTO "submitted_assignment" VALUES('92e0c17757124fac97f2df0917914f1d','c8ddcf527c994f6bb7ec9f955e27696a','mei',NULL,NULL);
INSERT INTO "submitted_assignment" VALUES('c785886a84ce47e5bcfb5830d0e86369','c8ddcf527c994f6bb7ec9f955e27696a','tom','2026-03-04 13:00:00.000000','1970-01-08 00:00:00.000000');
CREATE TABLE submitted_notebook (
	id VARCHAR(32) NOT NULL, 
	assignment_id VARCHAR(32), 
	notebook_id VARCHAR(32), 
	flagged BOOLEAN, 
	late_submission_penalty FLOAT, 
	PRIMARY KEY (id), 
	UNIQUE (notebook_id, assignment_id), 
	FOREIGN KEY(assignment_id) REFERENCES submitted_assignment (id), 
	FOREIGN KEY(notebook_id) REFERENCES notebook (id)
);
INSERT INTO "submitted_notebook" VALUES('3d98236c43be424c86ecc51d3c2f1ca2','3d3f4f59937e471188a8a174cd03dcc5','67ece51471bb4690a959af5c2c71773f',NULL,NULL);
INSERT INTO "submitted_notebook" VALUES('361004090eab476193ad6275afbcedfb','8c1827c0f9724696a6835d098a810219','67ece51471bb4690a959af5c2c71773f',NULL,1.0);
INSERT INTO "submitted_notebook" VALUES('ccda5fc68ea84275a36bac00a7f631bd','efbcad2e23874399a4c17b36d09d82df','67ece51471bb4690a959af5c2c71773f',NULL,NULL);
INSERT INTO "submitted_notebook" VALUES('245a6aa067114951b0c0395d18c86807','92e0c17757124fac97f2df0917914f1d','67ece51471bb4690a959af5c2c71773f',NULL,NULL);
INSERT INTO "submitted_notebook" VALUES('1c4d8a7baacf441793918723c2d6dc71','c785886a84ce47e5bcfb5830d0e86369','67ece51471bb4690a959af5c2c71773f',NULL,NULL);
CREATE TABLE task_cells (
	id VARCHAR(32) NOT NULL, 
	max_score FLOAT NOT NULL, 
	cell_type VARCHAR(8) NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(id) REFERENCES base_cell (id)
);
COMMIT;
